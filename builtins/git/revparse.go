package git

import (
	"fmt"
	"strconv"
	"strings"
)

// revParse is git rev-parse.
func (g *git) revParse(args []string) error {
	r := revParseRun{git: g}
	for i := 0; i < len(args); i++ {
		done, err := r.argument(args, &i)
		if err != nil || done {
			return err
		}
	}
	if r.verify && r.found != 1 {
		if r.quiet {
			return exitStatus(1)
		}
		return fatal("Needed a single revision")
	}
	return nil
}

// A revParseRun is one run of git rev-parse.
type revParseRun struct {
	*git
	verify, quiet, symbolic, abbrevRef, only, dashed bool
	short, found                                     int
	fallback                                         string
}

// argument handles one argument.
func (r *revParseRun) argument(args []string, i *int) (done bool, err error) {
	arg := args[*i]
	name, value, has := strings.Cut(arg, "=")
	if name != "--git-dir" && name != "--show-toplevel" {
		if err := r.discover(); err != nil && arg != "--is-inside-work-tree" {
			return true, err
		}
	}
	if r.dashed {
		_, err := fmt.Fprintln(r.out, arg)
		return false, err
	}
	switch name {
	case "--verify":
		r.verify = true
	case "-q", "--quiet":
		r.quiet = true
	case "--symbolic-full-name":
		r.symbolic = true
	case "--abbrev-ref":
		r.abbrevRef = true
	case "--short":
		if r.short = 7; has {
			if r.short, err = strconv.Atoi(value); err != nil {
				return true, fatalf("bad --short value %s", value)
			}
		}
		r.verify = true
	case "--revs-only", "--no-revs", "--no-flags", "--flags":
		return true, fatalf("'git rev-parse %s' is not available here", name)
	case "--default":
		if *i++; *i < len(args) {
			r.fallback = args[*i]
		}
	case "--":
		r.dashed = true
		_, err = fmt.Fprintln(r.out, arg)
	default:
		if text, ok, err := r.place(name); ok || err != nil {
			if err == nil {
				_, err = fmt.Fprintln(r.out, text)
			}
			return err != nil, err
		}
		if strings.HasPrefix(arg, "-") {
			_, err = fmt.Fprintln(r.out, arg)
			return false, err
		}
		return false, r.revision(arg)
	}
	return false, err
}

// place answers the options that ask where things are.
func (r *revParseRun) place(name string) (text string, ok bool, err error) {
	switch name {
	case "--git-dir", "--absolute-git-dir", "--git-common-dir":
		if err := r.discover(); err != nil {
			return "", true, err
		}
		text = r.repo.dir
		if name == "--git-common-dir" {
			text = r.repo.common
		}
		if name != "--absolute-git-dir" && r.repo.prefix == "" && strings.HasPrefix(text, r.FS.Dir+"/") {
			text = strings.TrimPrefix(text, r.FS.Dir+"/")
		} else if name != "--absolute-git-dir" && text == r.FS.Dir {
			text = "."
		}
	case "--show-toplevel":
		if err := r.inTree(); err != nil {
			return "", true, err
		}
		text = r.repo.tree
	case "--show-prefix":
		text = r.repo.prefix
	case "--show-cdup":
		text = strings.Repeat("../", strings.Count(r.repo.prefix, "/"))
	case "--is-inside-work-tree":
		if err := r.discover(); err != nil {
			return "", true, err
		}
		text = strconv.FormatBool(r.repo.tree != "")
	case "--is-inside-git-dir":
		text = strconv.FormatBool(strings.HasPrefix(r.FS.Dir+"/", r.repo.dir+"/"))
	case "--is-bare-repository":
		text = strconv.FormatBool(r.configBool("core.bare", false))
	case "--is-shallow-repository":
		text = "false"
	default:
		return "", false, nil
	}
	return text, true, nil
}

// revision prints the object that an expression names.
func (r *revParseRun) revision(arg string) error {
	if r.abbrevRef || r.symbolic {
		return r.reference(arg)
	}
	not := ""
	text := arg
	for _, dots := range []string{"...", ".."} {
		if from, to, ok := cutRange(arg, dots); ok {
			a, err1 := r.commitOf(from)
			b, err2 := r.commitOf(to)
			if err1 != nil || err2 != nil {
				break
			}
			if dots == ".." {
				_, err := fmt.Fprintf(r.out, "%s\n^%s\n", b, a)
				return err
			}
			bases, err := r.mergeBases(a, b)
			fmt.Fprintf(r.out, "%s\n%s\n", a, b)
			for _, h := range bases {
				fmt.Fprintf(r.out, "^%s\n", h)
			}
			return err
		}
	}
	if strings.HasPrefix(arg, "^") {
		not, text = "^", arg[1:]
	}
	h, err := r.resolve(text)
	if err != nil {
		return r.unknown(arg, err)
	}
	if r.found++; r.verify && r.found > 1 {
		return nil
	}
	name := h.String()
	if r.short > 0 {
		name = r.objects.short(h, max(r.short, 4))
	}
	_, err = fmt.Fprintln(r.out, not+name)
	return err
}

// unknown says that an argument names nothing.
func (r *revParseRun) unknown(arg string, err error) error {
	switch {
	case r.verify && r.quiet:
		return exitStatus(1)
	case r.verify:
		return fatal("Needed a single revision")
	}
	if _, ok := err.(fatal); ok {
		fmt.Fprintln(r.out, arg)
		return err
	}
	if _, statErr := r.FS.Lstat(arg); statErr == nil {
		_, err := fmt.Fprintln(r.out, arg)
		return err
	}
	fmt.Fprintln(r.out, arg)
	return fatalf("ambiguous argument '%s': unknown revision or path not in the working tree.\n"+dashHint, arg)
}

// reference prints the name of a reference.
func (r *revParseRun) reference(arg string) error {
	full := ""
	if base, at, ok := strings.Cut(arg, "@{"); ok && (at == "u}" || at == "upstream}") {
		branch := r.head()
		if base != "" && base != "HEAD" {
			branch = "refs/heads/" + base
		}
		up, ok := r.upstream(branch)
		if !ok {
			return fatalf("no upstream configured for branch '%s'", branchName(branch))
		}
		full = up
	} else if arg == "HEAD" || arg == "@" {
		if full = r.head(); full == "" {
			full = "HEAD"
		} else if _, born := r.lookup("HEAD"); !born {
			fmt.Fprintln(r.out, "HEAD")
			return fatalf("ambiguous argument 'HEAD': unknown revision or path not in the working tree.\n" + dashHint)
		}
	} else if name, ok := r.expandRef(arg); ok {
		full = name
	} else if _, err := r.resolve(arg); err != nil {
		return r.unknown(arg, err)
	} else {
		r.found++
		return nil
	}
	r.found++
	if r.abbrevRef {
		full = shortRef(full)
	}
	_, err := fmt.Fprintln(r.out, full)
	return err
}
