// Package git has the command git, on the files of the sandbox.
//
// The format of repositories is git's, so that those of a host work here, and
// those made here work there. Other repositories are reached by HTTP, as the network
// policy allows.
package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

var commands builtins.Set

// Commands returns the commands of this package. They are not among those that a
// sandbox has unless it is told so.
func Commands() []*builtins.Command { return commands.Commands() }

var _ = commands.Add(&builtins.Command{
	Name:     "git",
	Synopsis: "[-C <path>] [-c <name>=<value>] <command> [<args>]",
	Summary:  "the stupid content tracker",
	Run:      run,
})

// release is what the command behaves like.
const release = "2.39.5"

// A git is one run of the command.
type git struct {
	*builtins.Call
	ctx     context.Context
	out     *bufio.Writer
	name    string // of the subcommand
	given   []setting
	gitDir  string
	tree    string
	bare    bool
	repo    *repository
	objects *store
	held    int // memory that is charged until the end
}

// A fatal is an error that ends the command with status 128.
type fatal string

// Error returns the message.
func (f fatal) Error() string { return string(f) }

// fatalf returns a fatal with a formatted message.
func fatalf(format string, args ...any) error { return fatal(fmt.Sprintf(format, args...)) }

// A mistake is an error that is not fatal: "error: …" and status 1.
type mistake string

// Error returns the message.
func (m mistake) Error() string { return string(m) }

func mistakef(format string, args ...any) error { return mistake(fmt.Sprintf(format, args...)) }

// A usage is a mistake in the arguments, with status 129.
type usage string

// Error returns the message.
func (u usage) Error() string { return string(u) }

func run(ctx context.Context, c *builtins.Call) error {
	g := &git{Call: c, ctx: ctx, out: bufio.NewWriterSize(c.Stdout, 32<<10)}
	defer func() { g.Free(g.held) }()
	err := g.finish(g.main()) // messages come before what is still in the buffer, as with the original
	if flush := g.out.Flush(); flush != nil && err == nil {
		return flush
	}
	return err
}

// finish prints an error and returns the exit status that it means.
func (g *git) finish(err error) error {
	_, isExit := errors.AsType[builtins.Exit](err)
	if err == nil || isExit || errors.Is(err, vfs.EPIPE) || errors.Is(err, limits.ErrExceeded) || g.ctx.Err() != nil {
		return err
	}
	if u, ok := errors.AsType[usage](err); ok {
		fmt.Fprintln(g.Stderr, string(u))
		return builtins.Exit(129)
	}
	if m, ok := errors.AsType[mistake](err); ok {
		fmt.Fprintf(g.Stderr, "error: %s\n", string(m))
		return builtins.Exit(1)
	}
	fmt.Fprintf(g.Stderr, "fatal: %v\n", err)
	return builtins.Exit(128)
}

// hold charges n bytes until the end of the command.
func (g *git) hold(n int) error {
	if err := g.Alloc(n); err != nil {
		return err
	}
	g.held += n
	return nil
}

// A subcommand is a command of git.
type subcommand struct {
	name string
	run  func(g *git, args []string) error
}

// subcommands returns the commands of git.
func subcommands() []subcommand {
	return []subcommand{
		{"add", (*git).add}, {"apply", (*git).apply}, {"blame", (*git).blame}, {"branch", (*git).branch}, {"cat-file", (*git).catFile},
		{"check-ignore", (*git).checkIgnore}, {"checkout", (*git).checkout}, {"cherry-pick", refused}, {"clean", (*git).clean},
		{"clone", (*git).clone}, {"commit", (*git).commit}, {"commit-tree", (*git).commitTree}, {"config", (*git).configure},
		{"describe", (*git).describe}, {"diff", (*git).diff}, {"fetch", (*git).fetch}, {"for-each-ref", (*git).forEachRef},
		{"grep", (*git).grep}, {"hash-object", (*git).hashObject}, {"init", (*git).init}, {"log", (*git).log},
		{"ls-files", (*git).lsFiles}, {"ls-remote", (*git).lsRemote}, {"ls-tree", (*git).lsTree}, {"merge", (*git).merge},
		{"merge-base", (*git).mergeBase}, {"mv", (*git).mv}, {"pull", (*git).pull}, {"push", (*git).push}, {"rebase", refused},
		{"reflog", (*git).reflog}, {"remote", (*git).remotes}, {"reset", (*git).reset}, {"restore", (*git).restore},
		{"rev-list", (*git).revList}, {"rev-parse", (*git).revParse}, {"revert", refused}, {"rm", (*git).rm}, {"shortlog", (*git).shortlog},
		{"show", (*git).show}, {"show-ref", (*git).showRef}, {"stash", (*git).stash}, {"status", (*git).status},
		{"submodule", refused}, {"switch", (*git).switchTo}, {"symbolic-ref", (*git).symbolicRef}, {"tag", (*git).tag},
		{"update-index", (*git).updateIndex}, {"update-ref", (*git).updateRef}, {"version", (*git).version},
		{"worktree", refused}, {"write-tree", (*git).writeTree},
	}
}

// refused is what git does and this command does not.
func refused(g *git, _ []string) error {
	return fatalf("'git %s' is not available here", g.name)
}

// main parses the options before the subcommand, and runs it.
func (g *git) main() error {
	args := g.Args
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		rest, done, err := g.option(args)
		if err != nil || done {
			return err
		}
		args = rest
	}
	if len(args) == 0 {
		g.help()
		return builtins.Exit(1)
	}
	return g.dispatch(args[0], args[1:])
}

// option handles one option before the subcommand.
func (g *git) option(args []string) (rest []string, done bool, err error) {
	name, value, has := strings.Cut(args[0], "=")
	rest = args[1:]
	need := func() bool {
		if has {
			return true
		}
		if len(rest) == 0 {
			return false
		}
		value, rest = rest[0], rest[1:]
		return true
	}
	switch name {
	case "-C":
		if value = ""; len(rest) == 0 {
			return nil, true, usage("no directory given for '-C'")
		}
		value, rest = rest[0], rest[1:]
		return rest, false, g.enter(value)
	case "-c":
		if len(rest) == 0 {
			return nil, true, usage("-c expects a configuration string")
		}
		key, text, found := strings.Cut(rest[0], "=")
		if !found {
			text = "true"
		}
		g.given = append(g.given, setting{key: normalKey(key), value: text})
		return rest[1:], false, nil
	case "--git-dir":
		if !need() {
			return nil, true, usage("no directory given for '--git-dir'")
		}
		g.gitDir = value
	case "--work-tree":
		if !need() {
			return nil, true, usage("no directory given for '--work-tree'")
		}
		g.tree = value
	case "--bare":
		g.bare = true
	case "--no-pager", "-P", "-p", "--paginate", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects":
	case "--version", "-v":
		return nil, true, g.version(nil)
	case "--help", "-h":
		g.help()
		return nil, true, nil
	default:
		return nil, true, usage(fmt.Sprintf("unknown option: %s\n%s", args[0], synopsis))
	}
	return rest, false, nil
}

// enter makes a directory the working directory.
func (g *git) enter(dir string) error {
	if dir == "" {
		return nil
	}
	path, err := vfs.Resolve(g.FS.FS, g.FS.Abs(dir), true)
	if err == nil {
		info, e := g.FS.Stat(path)
		switch {
		case e != nil:
			err = e
		case !info.IsDir():
			err = vfs.ENOTDIR
		}
	}
	if err != nil {
		return fatalf("cannot change to '%s': %v", dir, vfs.ErrnoOf(err))
	}
	view := *g.FS
	view.Dir = path
	g.FS = &view
	return nil
}

// dispatch runs a subcommand.
func (g *git) dispatch(name string, args []string) error {
	g.name = name
	if name == "help" {
		g.help()
		return nil
	}
	for _, s := range subcommands() {
		if s.name == name {
			return s.run(g, args)
		}
	}
	if alias, ok := g.alias(name); ok {
		return g.dispatch(alias[0], append(alias[1:], args...))
	}
	fmt.Fprintf(g.Stderr, "git: '%s' is not a git command. See 'git --help'.\n", name)
	return builtins.Exit(1)
}

// alias returns what the configuration has a name stand for: a command of git.
func (g *git) alias(name string) ([]string, bool) {
	g.name = ""
	if err := g.discover(); err != nil {
		return nil, false
	}
	text, ok := g.config("alias." + strings.ToLower(name))
	words := strings.Fields(text)
	if !ok || len(words) == 0 || strings.HasPrefix(text, "!") || !isSubcommand(words[0]) {
		return nil, false
	}
	return words, true
}

func isSubcommand(name string) bool {
	for _, s := range subcommands() {
		if s.name == name {
			return true
		}
	}
	return false
}

func (g *git) version(_ []string) error {
	_, err := fmt.Fprintf(g.out, "git version %s\n", release)
	return err
}

const synopsis = "usage: git [-C <path>] [-c <name>=<value>] [--git-dir=<path>] [--work-tree=<path>] [--bare] [--no-pager] <command> [<args>]"

// help prints the names of the subcommands.
func (g *git) help() {
	fmt.Fprintf(g.out, "%s\n\nThe commands are:\n", synopsis)
	for _, s := range subcommands() {
		fmt.Fprintf(g.out, "   %s\n", s.name)
	}
}
