package text

import (
	"bytes"
	"context"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "look",
	Synopsis: "[OPTION]... STRING [FILE]",
	Summary:  "print the lines of a sorted file that begin with a string",
	Trouble:  1,
	Run:      runLook,
})

func runLook(ctx context.Context, c *builtins.Call) (err error) {
	var alternative, alphanumeric, fold bool
	terminate := ""
	f := c.Flags()
	f.Info("h", "V")
	f.Bool(&alternative, "a,alternative", "use the alternative dictionary")
	f.Bool(&alphanumeric, "d,alphanum", "compare only blanks, letters and digits")
	f.Bool(&fold, "f,ignore-case", "compare without regard to case")
	f.String(&terminate, "t,terminate", "compare STRING only up to the character `C`")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	name := "/usr/share/dict/words"
	switch {
	case alternative:
		name = "/usr/share/dict/web2"
	case len(args) == 1:
		alphanumeric, fold = true, true
	}
	switch len(args) {
	case 1:
	case 2:
		name = args[1]
	default:
		return f.Fail(builtins.Usage("bad usage"))
	}
	want := []byte(args[0])
	if terminate != "" {
		if i := bytes.IndexByte(want, terminate[0]); i >= 0 {
			want = want[:i+1]
		}
	}
	order := sortOrder{dictionary: alphanumeric, fold: fold}
	want = order.transform(want)
	in, err := openInput(c, name)
	if err != nil {
		return builtins.FileError(name, err)
	}
	defer in.close()
	out := newOutput(c)
	defer out.close(&err)
	found := false
	err = eachLine(c, in, '\n', func(line []byte) error {
		if !order.begins(line, want) {
			return nil
		}
		found = true
		text, _ := bytes.CutSuffix(line, newline)
		out.buf = append(append(out.buf, text...), '\n')
		return out.spill()
	})
	if err == nil && !found {
		return builtins.Exit(1)
	}
	return readError(name, err)
}

// begins reports whether what is left of line in the order o begins with want.
func (o *sortOrder) begins(line, want []byte) bool {
	for _, b := range line {
		if len(want) == 0 {
			break
		}
		if o.ignores(b) {
			continue
		}
		if o.fold {
			b = upper(b)
		}
		if b != want[0] {
			return false
		}
		want = want[1:]
	}
	return len(want) == 0
}
