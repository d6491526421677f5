package file

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
)

var _ = commands.Add(&builtins.Command{
	Name:     "chmod",
	Synopsis: "[OPTION]... MODE[,MODE]... FILE... | --reference=RFILE FILE...",
	Summary:  "change file mode bits",
	Run:      runChmod,
})

// A modeChanger changes the modes of files.
type modeChanger struct {
	c         *builtins.Call
	out       *bufio.Writer
	change    filemode.Change
	reference *uint32 // the mode of --reference, in place of change
	optional  bool    // the mode looked like an option
	report    reporting
	recursive bool
}

// reporting says what chmod and chown print.
type reporting struct {
	changes bool // -c
	all     bool // -v
	silent  bool // -f
}

func (r *reporting) flags(f *builtins.Flags) {
	f.Do("c,changes", "like verbose but report only when a change is made", func() error { r.changes, r.all = true, false; return nil })
	f.Bool(&r.silent, "f,silent,quiet", "suppress most error messages")
	f.Do("v,verbose", "output a diagnostic for every file processed", func() error { r.changes, r.all = false, true; return nil })
}

func runChmod(_ context.Context, c *builtins.Call) error {
	m := &modeChanger{c: c, out: bufio.NewWriter(c.Stdout)}
	var preserveRoot bool
	var reference string
	f := c.Flags()
	m.report.flags(f)
	f.Do("no-preserve-root", "do not treat '/' specially (the default)", func() error { preserveRoot = false; return nil })
	f.Bool(&preserveRoot, "preserve-root", "fail to operate recursively on '/'")
	f.String(&reference, "reference", "use `RFILE`'s mode instead of MODE values")
	f.Bool(&m.recursive, "R,recursive", "change files and directories recursively")
	mode := m.takeMode()
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if reference == "" && !m.optional && len(names) > 0 {
		mode, names = names[0], names[1:]
	}
	switch {
	case len(names) == 0 && mode != "" && !m.optional:
		return f.Fail(builtins.Usage("missing operand after %s", builtins.QuoteLocale(mode)))
	case len(names) == 0:
		return f.Fail(builtins.Usage("missing operand"))
	case reference != "" && m.optional:
		return f.Fail(builtins.Usage("cannot combine mode and --reference options"))
	case reference != "":
		info, err := c.FS.Stat(reference)
		if err != nil {
			return fmt.Errorf("failed to get attributes of %s: %w", builtins.Quote(reference), reason(err))
		}
		bits := filemode.Bits(info.Mode())
		m.reference = &bits
	default:
		if m.change, err = filemode.Parse(mode); err != nil {
			return f.Fail(builtins.Usage("invalid mode: %s", builtins.QuoteLocale(mode)))
		}
	}
	for _, name := range names {
		if m.recursive && preserveRoot && isRoot(c, name) {
			warnRoot(c, name)
			c.Warnf("use --no-preserve-root to override this failsafe")
			continue
		}
		if err := walk.Tree(c, name, walk.Options{Follow: walk.Operand}, m.visit); err != nil {
			return finish(m.out, err)
		}
	}
	return finish(m.out, nil)
}

// takeMode takes modes such as -w or -x,+r from the arguments, where they would
// be taken for options.
func (m *modeChanger) takeMode() string {
	var modes []string
	end := slices.Index(m.c.Args, "--")
	if end < 0 {
		end = len(m.c.Args)
	}
	args := slices.Clone(m.c.Args)
	head := slices.DeleteFunc(args[:end:end], func(arg string) bool {
		if len(arg) < 2 || arg[0] != '-' || strings.Trim(arg[1:], "rwxXstugoa,+=-01234567") != "" || arg[1] == '-' {
			return false
		}
		modes = append(modes, arg)
		return true
	})
	m.c.Args = append(head, m.c.Args[end:]...)
	m.optional = len(modes) > 0
	return strings.Join(modes, ",")
}

func (m *modeChanger) visit(e *walk.Entry) error {
	if e.Post {
		if e.Err != nil {
			return m.fail(fmt.Errorf("cannot read directory %s: %w", builtins.Quote(e.Path), reason(e.Err)))
		}
		return nil
	}
	info, err := e.Info()
	name := builtins.Quote(e.Path)
	switch {
	case err != nil:
		if err := m.fail(fmt.Errorf("cannot access %s: %w", name, reason(err))); err != nil {
			return err
		}
		return m.say("%s could not be accessed\n", name)
	case isLink(info) && e.Depth == 0:
		if err := m.fail(fmt.Errorf("cannot operate on dangling symlink %s", name)); err != nil {
			return err
		}
		return m.say("%s could not be accessed\n", name)
	case isLink(info):
		return m.say("neither symbolic link %s nor referent has been changed\n", name)
	}
	if err := m.set(e, info); err != nil {
		if err := m.fail(err); err != nil {
			return err
		}
	}
	if !m.recursive {
		return walk.Skip
	}
	return nil
}

// fail warns of err, unless -f silences it.
func (m *modeChanger) fail(err error) error {
	if m.report.silent {
		m.c.Fail()
		return nil
	}
	return warn(m.c, err)
}

// say prints what -v wants to be told.
func (m *modeChanger) say(format string, args ...any) error {
	if !m.report.all {
		return nil
	}
	_, err := fmt.Fprintf(m.out, format, args...)
	return err
}

func (m *modeChanger) set(e *walk.Entry, info fs.FileInfo) error {
	name := builtins.Quote(e.Path)
	old := filemode.Unix(info.Mode())
	bits := m.apply(info, filemode.Bits(m.c.FS.Umask))
	if err := m.c.FS.Chmod(e.Path, filemode.Mode(bits)); err != nil {
		_ = m.say("failed to change mode of %s from %04o (%s) to %04o (%s)\n", name, old&filemode.All, filemode.Letters(old)[1:], bits, filemode.Letters(bits)[1:])
		return fmt.Errorf("changing permissions of %s: %w", name, reason(err))
	}
	switch {
	case old&filemode.All != bits && (m.report.changes || m.report.all):
		fmt.Fprintf(m.out, "mode of %s changed from %04o (%s) to %04o (%s)\n", name, old&filemode.All, filemode.Letters(old)[1:], bits, filemode.Letters(bits)[1:])
	case old&filemode.All == bits:
		if err := m.say("mode of %s retained as %04o (%s)\n", name, bits, filemode.Letters(bits)[1:]); err != nil {
			return err
		}
	}
	if naive := m.apply(info, 0); m.optional && bits&^naive != 0 {
		return fmt.Errorf("%s: new permissions are %s, not %s", builtins.QuoteMaybe(e.Path), filemode.Letters(bits)[1:], filemode.Letters(naive)[1:])
	}
	return nil
}

// apply returns the new mode of a file under a umask.
func (m *modeChanger) apply(info fs.FileInfo, umask uint32) uint32 {
	if m.reference != nil {
		return *m.reference
	}
	return m.change.Apply(filemode.Bits(info.Mode()), info.IsDir(), umask)
}
