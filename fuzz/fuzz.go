// Package fuzz finds faults in shells that are made to contain scripts, or to
// behave as another shell does: limpet, and those of others.
//
// It has three parts, each of use without the rest:
//
//   - A [Generator] writes Bash scripts from a grammar. Script number n of a seed is
//     the same on every machine. What the scripts are made of is a set of
//     [Feature] values.
//   - An [Oracle] judges a script. [Promises] runs it in a sandbox and looks for a
//     broken promise: a panic, a deadline overrun, a sandbox that is of no use
//     afterwards. [Differential] runs it in two [Target] shells and compares what
//     they printed, their status, and the files that they left.
//   - A [Campaign] feeds one to the other on several goroutines, makes the scripts
//     of its findings small with [Minimize], and reports.
//
// A shell under test is a [Target]: [Sandbox] is a limpet.Shell in this process, and
// [Command] any program that takes the name of a script as its last argument, such as
// bash, another version of it, or a sandbox with a command line. To compare a shell of
// your own with bash:
//
//	c := &fuzz.Campaign{
//		Source: fuzz.Generator{Seed: 1}.Script,
//		Oracle: &fuzz.Differential{
//			Reference: fuzz.Bash(),
//			Target:    &fuzz.Command{Args: []string{"mysandbox", "run"}},
//		},
//		Count: 10_000,
//	}
//	summary, err := c.Run(ctx)
//
// The command `limpet fuzz` is this, with flags. With --commands its scripts are those of
// [CommandGrammar], which run commands on generated files with the options that these declare; the
// programs of the host are the reference.
//
// Generated scripts are safe to run in a shell of the host: they write below their
// working directory only, start no program that does harm, do not recurse, and their
// loops are bounded. A minimised script may lose the bound of its loop; [Command]
// therefore limits the time and the files of what it starts.
package fuzz
