// Package fuzz finds faults in shells that are made to contain scripts, or to
// behave as another shell does: limpet, and those of others.
//
// It has three parts, each of use without the rest:
//
//   - A generator writes scripts. [Generator] takes them from a grammar, [Mutator]
//     changes those of a corpus, [CommandLines] uses the options of commands, [Sizes] asks
//     for more than there is, [Archives], [Snapshots] and [Policies] lie. Script number n
//     of a seed is the same on every machine.
//   - An [Oracle] judges a script. [Promises] looks for a broken promise of a sandbox: a
//     panic, a deadline overrun, memory that is not counted, a goroutine that is left, a
//     [Canary] of the host that was touched, data of another script. [Determinism] runs a
//     script twice. [Analysis] compares what a script does with what limpet.Analyze says.
//     [Differential] runs it in two [Target] shells and compares what they printed, their
//     status, and the files that they left. [Loading] and [Reaching] are for checkpoints
//     and network policies.
//   - A [Campaign] feeds one to the other on several goroutines, makes the scripts
//     of its findings small with [Minimize], and reports.
//
// A shell under test is a [Target]: [Sandbox] is any limpet.Sandbox, and [Command] any
// program that takes the name of a script as its last argument, such as bash, another
// version of it, or a sandbox with a command line. To look for what a sandbox of your own
// does not contain, and for where it differs from bash:
//
//	mine := &fuzz.Command{Args: []string{"mysandbox", "run"}}
//	c := &fuzz.Campaign{
//		Trials: []fuzz.Trial{
//			{Source: fuzz.Sizes{Seed: 1}.Script, Oracle: &fuzz.Promises{Target: mine}},
//			{Source: fuzz.Generator{Seed: 1}.Script, Oracle: &fuzz.Differential{Reference: fuzz.Bash(), Target: mine}},
//		},
//		Count: 10_000,
//	}
//	report, err := c.Run(ctx)
//
// The command `limpet fuzz` is this, with flags. With --commands its scripts are those of
// [CommandGrammar], which run commands on generated files with the options that these declare; the
// programs of the host are the reference.
//
// Scripts of grammars are safe to run in a shell of the host: they write below their
// working directory only, start no program that does harm, do not recurse, and their
// loops are bounded. A minimised script may lose the bound of its loop; [Command]
// therefore limits the time and the files of what it starts. Scripts of other generators
// are for sandboxes only.
package fuzz
