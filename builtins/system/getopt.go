package system

import (
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var getopt = commands.Add(&builtins.Command{
	Name:     "getopt",
	Synopsis: "[options] [--] optstring parameters\n   or: getopt [options] -o|--options optstring [options] [--] parameters",
	Summary:  "parse command options (enhanced)",
	Trouble:  2,
	Run:      runGetopt,
})

// A getoptJob is the grammar of options that getopt was given, and what it has
// found.
type getoptJob struct {
	call                    *builtins.Call
	short                   string
	long                    []string
	name                    string
	alternative             bool
	quiet, silent, unquoted bool
	order                   byte // + ends options at the first operand, - keeps operands where they are
	out                     strings.Builder
	operands                []string
	failed                  bool
}

func runGetopt(ctx context.Context, c *builtins.Call) error {
	j := getoptJob{call: c, name: "getopt"}
	var options bool
	f := c.Flags()
	f.Info("h", "V")
	f.Ordered = true
	f.Bool(&j.alternative, "a,alternative", "allow long options starting with single -")
	f.Func("l,longoptions", "the `longopts` to be recognized", func(s string) error {
		j.long = append(j.long, strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(", \t\n", r) })...)
		return nil
	})
	f.String(&j.name, "n,name", "the name under which errors are reported: `progname`")
	f.Func("o,options", "the short options to be recognized: `optstring`", func(s string) error { j.short, options = s, true; return nil })
	f.Bool(&j.quiet, "q,quiet", "disable error reporting by getopt(3)")
	f.Bool(&j.silent, "Q,quiet-output", "no normal output")
	f.Func("s,shell", "set quoting conventions to those of `shell`", func(s string) error {
		if s != "sh" && s != "bash" {
			return builtins.Usage("unknown shell after -s or --shell argument")
		}
		return nil
	})
	f.Do("T,test", "test for getopt(1) version", func() error { return builtins.Exit(4) })
	f.Bool(&j.unquoted, "u,unquoted", "do not quote the output")
	args, err := f.Parse()
	switch {
	case err != nil:
		return err
	case !options && len(args) == 0:
		return f.Fail(builtins.Usage("missing optstring argument"))
	case !options:
		j.short, args = args[0], args[1:]
		j.unquoted = j.unquoted || len(c.Args) > 0 && c.Args[0] == j.short
	}
	if j.short != "" && (j.short[0] == '+' || j.short[0] == '-') {
		j.order, j.short = j.short[0], j.short[1:]
	} else if _, ok := c.Env.Lookup("POSIXLY_CORRECT"); ok {
		j.order = '+'
	}
	if err := j.parse(args); err != nil {
		return err
	}
	return j.print()
}

// parse goes through the parameters as getopt_long does.
func (j *getoptJob) parse(args []string) error {
	for len(args) > 0 {
		if err := j.call.Poll(1); err != nil {
			return err
		}
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			j.operands = append(j.operands, args...)
			return nil
		case strings.HasPrefix(arg, "--"):
			args = j.longOption(arg[2:], "--", args)
		case len(arg) > 1 && arg[0] == '-':
			args = j.dash(arg[1:], args)
		case j.order == '+':
			j.operands = append(append(j.operands, arg), args...)
			return nil
		case j.order == '-':
			j.emit(" " + j.quoted(arg))
		default:
			j.operands = append(j.operands, arg)
		}
	}
	return nil
}

func (j *getoptJob) emit(text string) { j.out.WriteString(text) }

func (j *getoptJob) quoted(s string) string {
	if j.unquoted {
		return s
	}
	return "'" + strings.NewReplacer("'", `'\''`).Replace(s) + "'"
}

func (j *getoptJob) fail(format string, args ...any) {
	j.failed = true
	if !j.quiet {
		fmt.Fprintf(j.call.Stderr, "%s: %s\n", j.name, fmt.Sprintf(format, args...))
	}
}

// dash handles what follows a single dash: letters or, as an alternative, the
// name of a long option.
func (j *getoptJob) dash(text string, rest []string) []string {
	if j.alternative {
		name, _, _ := strings.Cut(text, "=")
		if found, _ := j.find(name); len(found) > 0 && (len(text) > 1 || strings.IndexByte(j.short, text[0]) < 0) {
			return j.longOption(text, "-", rest)
		}
	}
	return j.letters(text, rest)
}

// letters handles short options.
func (j *getoptJob) letters(text string, rest []string) []string {
	for i := 0; i < len(text); i++ {
		at := strings.IndexByte(j.short, text[i])
		if at < 0 || text[i] == ':' {
			j.fail("invalid option -- '%c'", text[i])
			continue
		}
		spec, attached := j.short[at+1:], text[i+1:]
		switch {
		case strings.HasPrefix(spec, "::"):
			j.emit(" -" + text[i:i+1] + " " + j.quoted(attached))
			return rest
		case !strings.HasPrefix(spec, ":"):
			j.emit(" -" + text[i:i+1])
			continue
		case attached != "":
		case len(rest) == 0:
			j.fail("option requires an argument -- '%c'", text[i])
			return rest
		default:
			attached, rest = rest[0], rest[1:]
		}
		j.emit(" -" + text[i:i+1] + " " + j.quoted(attached))
		return rest
	}
	return rest
}

// find returns the long options that name stands for, and whether it is one of
// them in full.
func (j *getoptJob) find(name string) (found []string, exact bool) {
	for _, long := range j.long {
		bare := strings.TrimRight(long, ":")
		if bare == name {
			return []string{long}, true
		}
		if strings.HasPrefix(bare, name) {
			found = append(found, long)
		}
	}
	return found, false
}

func (j *getoptJob) longOption(text, dashes string, rest []string) []string {
	name, value, inline := strings.Cut(text, "=")
	found, exact := j.find(name)
	switch {
	case len(found) == 0:
		j.fail("unrecognized option '%s%s'", dashes, text)
		return rest
	case len(found) > 1 && !exact:
		list := ""
		for _, long := range found {
			list += " '" + dashes + strings.TrimRight(long, ":") + "'"
		}
		j.fail("option '%s%s' is ambiguous; possibilities:%s", dashes, text, list)
		return rest
	}
	bare := strings.TrimRight(found[0], ":")
	switch colons := len(found[0]) - len(bare); {
	case colons == 0 && inline:
		j.fail("option '%s%s' doesn't allow an argument", dashes, bare)
		return rest
	case colons == 0:
		j.emit(" --" + bare)
		return rest
	case colons == 1 && !inline && len(rest) == 0:
		j.fail("option '%s%s' requires an argument", dashes, bare)
		return rest
	case colons == 1 && !inline:
		value, rest = rest[0], rest[1:]
	}
	j.emit(" --" + bare + " " + j.quoted(value))
	return rest
}

func (j *getoptJob) print() error {
	if !j.silent {
		j.emit(" --")
		for _, o := range j.operands {
			j.emit(" " + j.quoted(o))
		}
		if _, err := fmt.Fprintln(j.call.Stdout, j.out.String()); err != nil {
			return err
		}
	}
	if j.failed {
		return builtins.Exit(1)
	}
	return nil
}
