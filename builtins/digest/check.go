package digest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/limpet-sh/limpet/builtins"
)

// A checker verifies files against lists of digests.
type checker struct {
	on                                           bool
	ignoreMissing, quiet, silent, strict, warned bool
	parser                                       lineParser
}

// declare declares the options of a checker, and -z for a style.
func (k *checker) declare(f *builtins.Flags, s *style) {
	f.Bool(&s.zero, "z,zero", "end each output line with NUL, not newline, and disable file name escaping")
	f.Bool(&k.ignoreMissing, "ignore-missing", "don't fail or report status for missing files")
	f.Do("quiet", "don't print OK for each successfully verified file", func() error {
		k.silent, k.warned, k.quiet = false, false, true
		return nil
	})
	f.Do("status", "don't output anything, status code shows success", func() error {
		k.silent, k.warned, k.quiet = true, false, false
		return nil
	})
	f.Bool(&k.strict, "strict", "exit non-zero for improperly formatted checksum lines")
	f.Do("w,warn", "warn about improperly formatted checksum lines", func() error {
		k.silent, k.warned, k.quiet = false, true, false
		return nil
	})
}

// misplaced returns an error for options of checking where there is none.
func (k *checker) misplaced() error {
	for _, o := range []struct {
		set  bool
		name string
	}{
		{k.ignoreMissing, "ignore-missing"}, {k.silent, "status"}, {k.warned, "warn"},
		{k.quiet, "quiet"}, {k.strict, "strict"},
	} {
		if o.set && !k.on {
			return builtins.Usage("the --%s option is meaningful only when verifying checksums", o.name)
		}
	}
	return nil
}

// A tally counts what became of the lines of one list.
type tally struct{ good, malformed, unreadable, mismatched, matched int }

// run checks the files that the lists name.
func (k *checker) run(c *builtins.Call, lists []string) error {
	parser := k.parser
	return c.EachInput(lists, func(name string, r io.Reader) error {
		if name == "-" {
			name = "standard input"
		}
		k.parser = parser
		t, err := k.list(c, name, r)
		if err != nil {
			return err
		}
		k.report(c, name, t)
		return nil
	})
}

func (k *checker) list(c *builtins.Call, name string, r io.Reader) (t tally, err error) {
	lines := c.Lines(r, '\n')
	defer lines.Close()
	for number := 1; ; number++ {
		line, err := lines.Next()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		line, _ = bytes.CutSuffix(line, []byte("\n"))
		line, _ = bytes.CutSuffix(line, []byte("\r"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		e, ok := k.parser.parse(string(line))
		if !ok {
			t.malformed++
			if k.warned {
				fmt.Fprintf(c.Stderr, "%s: %s: %d: improperly formatted %s checksum line\n", c.Name,
					builtins.QuoteMaybe(name), number, k.tag())
			}
			continue
		}
		t.good++
		if err := k.verify(c, e, &t); err != nil {
			return t, err
		}
	}
}

// tag returns what messages call the lines of the list.
func (k *checker) tag() string {
	if k.parser.algorithm == nil {
		return "CRC"
	}
	return k.parser.algorithm.tag
}

// verify checks one file.
func (k *checker) verify(c *builtins.Call, e entry, t *tally) error {
	sum, err := k.sum(c, e)
	verdict := "OK"
	switch {
	case err != nil && c.Ends(err):
		return err
	case err != nil && k.ignoreMissing && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		c.Warn(builtins.FileError(e.name, err))
		t.unreadable++
		verdict = "FAILED open or read"
	case !bytes.Equal(sum, e.sum):
		t.mismatched++
		verdict = "FAILED"
	default:
		t.matched++
		if k.quiet {
			return nil
		}
	}
	if k.silent {
		return nil
	}
	mark, name := escape(e.name)
	_, err = fmt.Fprintf(c.Stdout, "%s%s: %s\n", mark, name, verdict)
	return err
}

func (k *checker) sum(c *builtins.Call, e entry) ([]byte, error) {
	if e.name == "-" {
		return e.algorithm.sum(c, c.Stdin, len(e.sum)*8)
	}
	f, err := c.Open(e.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return e.algorithm.sum(c, f, len(e.sum)*8)
}

// report says what was wrong with a list and its files.
func (k *checker) report(c *builtins.Call, name string, t tally) {
	name = builtins.QuoteMaybe(name)
	if t.good == 0 {
		c.Warnf("%s: no properly formatted checksum lines found", name)
		return
	}
	for _, w := range []struct {
		n         int
		one, many string
	}{
		{t.malformed, "line is improperly formatted", "lines are improperly formatted"},
		{t.unreadable, "listed file could not be read", "listed files could not be read"},
		{t.mismatched, "computed checksum did NOT match", "computed checksums did NOT match"},
	} {
		text := w.many
		if w.n == 1 {
			text = w.one
		}
		if w.n > 0 && !k.silent {
			fmt.Fprintf(c.Stderr, "%s: WARNING: %d %s\n", c.Name, w.n, text)
		}
	}
	none := k.ignoreMissing && t.matched == 0
	if none && !k.silent {
		fmt.Fprintf(c.Stderr, "%s: %s: no file was verified\n", c.Name, name)
	}
	if t.unreadable > 0 || t.mismatched > 0 || none || k.strict && t.malformed > 0 {
		c.Fail()
	}
}
