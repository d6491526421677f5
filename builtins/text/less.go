package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "less",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "print files, there being no screen to show a page at a time",
	Run:      runLess,
})

// lessSwitches are the options without a value, all of which are about the
// screen, and so change nothing where there is none.
const lessSwitches = "a,search-skip-screen A,SEARCH-SKIP-SCREEN B,auto-buffers c,clear-screen C,CLEAR-SCREEN d,dumb " +
	"e,quit-at-eof E,QUIT-AT-EOF f,force F,quit-if-one-screen g,hilite-search G,HILITE-SEARCH i,ignore-case I,IGNORE-CASE " +
	"J,status-column K,quit-on-intr L,no-lessopen m,long-prompt M,LONG-PROMPT n,line-numbers N,LINE-NUMBERS q,quiet,silent Q,QUIET,SILENT " +
	"r,raw-control-chars R,RAW-CONTROL-CHARS s,squeeze-blank-lines S,chop-long-lines u,underline-special U,UNDERLINE-SPECIAL " +
	"w,hilite-unread W,HILITE-UNREAD X,no-init ~,tilde no-keypad follow-name use-backslash mouse MOUSE incsearch use-color"

// lessValues are the options with one, of which the same is true; log files are
// of screens too.
const lessValues = "b,buffers D,color h,max-back-scroll j,jump-target k,lesskey-file o,log-file O,LOG-FILE p,pattern P,prompt t,tag T,tag-file " +
	"x,tabs y,max-forw-scroll z,window #,shift rscroll wheel-lines status-col-width line-num-width"

func runLess(_ context.Context, c *builtins.Call) (err error) {
	f := c.Flags()
	declareScreen(f, lessSwitches, lessValues)
	f.Info("?", "V")
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	files := withoutCommands(operands)
	if len(files) == 0 {
		if builtins.Interactive(c.Stdin) {
			fmt.Fprintln(c.Stderr, `Missing filename ("less --help" for help)`)
			return builtins.Exit(1)
		}
		files = []string{"-"}
	}
	out := newOutput(c)
	defer out.close(&err)
	for _, name := range files {
		if err := lessFile(c, out, name); err != nil {
			return err
		}
	}
	return nil
}

// declareScreen declares options that matter on a screen only.
func declareScreen(f *builtins.Flags, switches, values string) {
	for names := range strings.FieldsSeq(switches) {
		f.Do(names, "about the screen, which there is not", func() error { return nil })
	}
	for names := range strings.FieldsSeq(values) {
		f.Func(names, "about the screen, which there is not: `VALUE`", func(string) error { return nil })
	}
}

// withoutCommands returns the operands after those that are commands for a
// pager, such as +G and +/text.
func withoutCommands(operands []string) []string {
	for len(operands) > 0 && strings.HasPrefix(operands[0], "+") {
		operands = operands[1:]
	}
	return operands
}

// lessFile prints a file. What keeps it from doing so is printed like text, for
// that is where less has its messages when the output is no terminal.
func lessFile(c *builtins.Call, out *output, name string) error {
	in, err := openInput(c, name)
	if err != nil {
		fmt.Fprintf(out, "%s: %v\n", name, vfs.ErrnoOf(err))
		return nil
	}
	defer in.close()
	if info := stat(in.Reader); info != nil && info.IsDir() {
		fmt.Fprintf(out, "%s is a directory\n", name)
		return nil
	}
	return copyTo(c, out, in)
}

// copyTo copies what r has. An error that need not end the call is a warning.
func copyTo(c *builtins.Call, out *output, r io.Reader) error {
	err := eachBlock(c, r, out.write)
	if _, ok := errors.AsType[builtins.Exit](err); err == nil || ok || c.Ends(err) {
		return err
	}
	c.Warn(err)
	return nil
}
