package git

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/vfs"
)

// A repository is where objects and references are, and a working tree.
type repository struct {
	dir      string // what is of this working tree alone: HEAD, the index
	common   string // what all working trees share
	tree     string // the top of the working tree; empty where there is none
	prefix   string // from there to the working directory; empty or ends with a slash
	settings []setting
}

// exitStatus is an exit status of which nothing is to be said any more.
func exitStatus(n int) error { return builtins.Exit(n) }

// compile compiles a regular expression of an option.
func compile(pattern string) (*regex.Regexp, error) { return regex.Compile(pattern, regex.Extended, 0) }

// errNoRepository says that there is no repository.
const errNoRepository = fatal("not a git repository (or any of the parent directories): .git")

// discover finds the repository of the working directory.
func (g *git) discover() error {
	if g.repo != nil {
		return nil
	}
	if g.gitDir == "" {
		g.gitDir = g.Getenv("GIT_DIR")
	}
	if g.tree == "" {
		g.tree = g.Getenv("GIT_WORK_TREE")
	}
	cwd := path.Clean(g.FS.Dir)
	if full, err := vfs.Resolve(g.FS.FS, cwd, true); err == nil {
		cwd = full
	}
	if g.gitDir != "" {
		dir := path.Clean(g.FS.Abs(g.gitDir))
		if !g.isRepository(dir) {
			return fatalf("not a git repository: '%s'", g.gitDir)
		}
		tree := cwd
		if g.tree != "" {
			tree = path.Clean(g.FS.Abs(g.tree))
		}
		return g.use(dir, tree, cwd)
	}
	for at := cwd; ; at = path.Dir(at) {
		dir := path.Join(at, ".git")
		if text, err := vfs.ReadFile(g.FS, dir); err == nil {
			if target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: "); ok {
				if !strings.HasPrefix(target, "/") {
					target = path.Join(at, target)
				}
				dir = target
			}
		}
		if g.isRepository(dir) {
			tree := at
			if g.tree != "" {
				tree = path.Clean(g.FS.Abs(g.tree))
			}
			return g.use(dir, tree, cwd)
		}
		if g.isRepository(at) {
			return g.use(at, "", cwd)
		}
		if at == "/" {
			return errNoRepository
		}
	}
}

// isRepository reports whether a directory has what repositories have.
func (g *git) isRepository(dir string) bool {
	for _, name := range []string{"HEAD"} {
		if _, err := g.FS.Lstat(path.Join(dir, name)); err != nil {
			return false
		}
	}
	common := g.commonDir(dir)
	for _, name := range []string{"objects", "refs"} {
		info, err := g.FS.Stat(path.Join(common, name))
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// commonDir returns the directory that the repository at dir shares.
func (g *git) commonDir(dir string) string {
	text, err := vfs.ReadFile(g.FS, dir+"/commondir")
	if err != nil {
		return dir
	}
	target := strings.TrimSpace(string(text))
	if !strings.HasPrefix(target, "/") {
		target = path.Join(dir, target)
	}
	return target
}

// use makes a repository the one that the command works on.
func (g *git) use(dir, tree, cwd string) error {
	r := &repository{dir: dir, common: g.commonDir(dir), tree: tree}
	g.repo = r
	g.objects = g.openStore(r.common + "/objects")
	if rest, ok := strings.CutPrefix(cwd+"/", strings.TrimSuffix(tree, "/")+"/"); ok && tree != "" {
		r.prefix = rest
	}
	if cwd == dir || strings.HasPrefix(cwd, dir+"/") {
		r.prefix = ""
		if g.tree == "" {
			r.tree = ""
		}
	}
	if format, ok := g.config("core.repositoryformatversion"); ok && format != "0" && format != "1" {
		return fatalf("Expected git repo version <= 1, found %s", format)
	}
	if value, ok := g.config("extensions.objectformat"); ok && value != "sha1" {
		return fatalf("unsupported object format '%s'", value)
	}
	if g.configBool("core.bare", false) && g.tree == "" {
		r.tree = ""
	}
	return nil
}

// inTree finds the repository, which must have a working tree.
func (g *git) inTree() error {
	if err := g.discover(); err != nil {
		return err
	}
	if g.repo.tree == "" {
		return fatal("this operation must be run in a work tree")
	}
	return nil
}

// full returns the name of a file of the working tree.
func (g *git) full(name string) string {
	if name == "" {
		return g.repo.tree
	}
	return strings.TrimSuffix(g.repo.tree, "/") + "/" + name
}

// writeFile replaces a file of the repository.
func (g *git) writeFile(name string, data []byte) error {
	lock := name + ".lock"
	if _, err := g.FS.Lstat(lock); err == nil {
		return fatalf("Unable to create '%s': File exists.\n\nAnother git process seems to be running in this repository, e.g.\n"+
			"an editor opened by 'git commit'. Please make sure all processes\nare terminated then try again. If it still fails, a git process\n"+
			"may have crashed in this repository earlier:\nremove the file manually to continue.", lock)
	}
	err := vfs.WriteFile(g.FS, lock, data, 0o666)
	if err == nil {
		err = g.FS.Rename(lock, name)
	}
	if err != nil {
		_ = g.FS.Remove(lock)
		return fatalf("Unable to create '%s': %v", lock, vfs.ErrnoOf(err))
	}
	return nil
}

// init is git init.
func (g *git) init(args []string) error {
	bare, quiet, branch := false, false, ""
	f := g.options("[-q | --quiet] [--bare] [-b <branch-name>] [<directory>]")
	f.bool(&bare, "bare")
	f.bool(&quiet, "q,quiet")
	f.string(&branch, "b,initial-branch")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if args = append(args, rest...); len(args) > 1 {
		return usage(f.usage)
	}
	bare = bare || g.bare
	if len(args) == 1 {
		if err := g.FS.MkdirAll(args[0], 0o777); err != nil {
			return fatalf("cannot mkdir %s: %v", args[0], vfs.ErrnoOf(err))
		}
		if err := g.enter(args[0]); err != nil {
			return err
		}
	}
	dir := g.FS.Dir
	if full, err := vfs.Resolve(g.FS.FS, dir, true); err == nil {
		dir = full
	}
	if !bare {
		dir = path.Join(dir, ".git")
	}
	again := g.isRepository(dir)
	if !again {
		if err := g.create(dir, bare, quiet, &branch); err != nil {
			return err
		}
	}
	if quiet {
		return nil
	}
	what := "Initialized empty"
	if again {
		what = "Reinitialized existing"
		if branch != "" {
			fmt.Fprintf(g.Stderr, "warning: re-init: ignored --initial-branch=%s\n", branch)
		}
	}
	_, err = fmt.Fprintf(g.out, "%s Git repository in %s/\n", what, dir)
	return err
}

// create makes an empty repository.
func (g *git) create(dir string, bare, quiet bool, branch *string) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks", "branches"} {
		if err := g.FS.MkdirAll(path.Join(dir, sub), 0o777); err != nil {
			return fatalf("cannot mkdir %s: %v", dir, vfs.ErrnoOf(err))
		}
	}
	if *branch == "" {
		name, ok := g.config("init.defaultbranch")
		if !ok {
			name = "master"
			if !quiet {
				fmt.Fprint(g.Stderr, defaultBranchHint)
			}
		}
		*branch = name
	}
	if !validRef("refs/heads/" + *branch) {
		return fatalf("invalid initial branch name: '%s'", *branch)
	}
	text := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = " + fmt.Sprint(bare) + "\n"
	if !bare {
		text += "\tlogallrefupdates = true\n"
	}
	return errors.Join(
		g.writeFile(dir+"/HEAD", []byte("ref: refs/heads/"+*branch+"\n")),
		g.writeFile(dir+"/config", []byte(text)),
		g.writeFile(dir+"/description", []byte("Unnamed repository; edit this file 'description' to name the repository.\n")),
		g.writeFile(dir+"/info/exclude", []byte("# git ls-files --others --exclude-from=.git/info/exclude\n"+
			"# Lines that start with '#' are comments.\n# For a project mostly in C, the following would be a good set of\n"+
			"# exclude patterns (uncomment them if you want to use them):\n# *.[oa]\n# *~\n")),
	)
}

// defaultBranchHint is what git says of the name that it has chosen.
const defaultBranchHint = `hint: Using 'master' as the name for the initial branch. This default branch name
hint: is subject to change. To configure the initial branch name to use in all
hint: of your new repositories, which will suppress this warning, call:
hint: 
hint: 	git config --global init.defaultBranch <name>
hint: 
hint: Names commonly chosen instead of 'master' are 'main', 'trunk' and
hint: 'development'. The just-created branch can be renamed via this command:
hint: 
hint: 	git branch -m <name>
`

// missing reports whether an error says that there is no such file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, vfs.ENOTDIR) }
