package text

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "split",
	Synopsis: "[OPTION]... [FILE [PREFIX]]",
	Summary:  "split a file into pieces",
	Run:      runSplit,
})

// The ways to split.
const (
	splitNone = iota
	splitLines
	splitBytes
	splitLineBytes
	splitChunks     // of bytes
	splitLineChunks // of whole lines
	splitRoundRobin
)

// A splitJob is what is asked of split.
type splitJob struct {
	way      int
	n        uint64 // lines or bytes in a piece, or number of chunks
	only     uint64 // the chunk to print on standard output, or 0
	lineEnd  byte
	elide    bool // no empty files
	lengthOK bool // the length of suffixes was given

	unbuffered bool // write lines at once with splitRoundRobin
	separator  string
	digits     string // of an option such as -1000
}

func runSplit(ctx context.Context, c *builtins.Call) (err error) {
	var j splitJob
	s := splitFiles{call: c, ctx: ctx, alphabet: lowercase}
	f := c.Flags()
	j.flags(f)
	s.flags(f)
	f.Func("a,suffix-length", "use suffixes of `N` characters, not 2", func(v string) error {
		n, err := numberOption(v, "", 0, 1<<20, "invalid suffix length")
		s.length, j.lengthOK = int(n), n > 0
		return err
	})
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) > 2 {
		return f.Fail(extraOperand(args[2]))
	}
	switch len(args) {
	case 0:
		args = []string{"-", "x"}
	case 1:
		args = append(args, "x")
	}
	if j.way == splitNone {
		j.way, j.n = splitLines, 1000
	}
	j.lineEnd = (j.separator + "\n")[0]
	s.prefix, s.input = args[1], args[0]
	if s.filter != "" && j.only > 0 {
		return f.Fail(builtins.Usage("--filter does not process a chunk extracted to stdout"))
	}
	if err := s.setLength(&j); err != nil {
		return f.Fail(err)
	}
	return j.run(c, &s)
}

// flags declares the options about what is in a file.
func (j *splitJob) flags(f *builtins.Flags) {
	f.Func("b,bytes", "put `SIZE` bytes in a file", j.size(splitBytes, "invalid number of bytes"))
	f.Func("C,line-bytes", "put at most `SIZE` bytes of whole lines in a file", j.size(splitLineBytes, "invalid number of bytes"))
	f.Bool(&j.elide, "e,elide-empty-files", "make no empty files with -n")
	f.Func("l,lines", "put `NUMBER` lines in a file", j.size(splitLines, "invalid number of lines"))
	f.Func("n,number", "make `CHUNKS` files: N, K/N, l/N, l/K/N, r/N or r/K/N", j.chunks)
	f.Func("t,separator", "lines end with `SEP`, not newline", func(v string) error {
		switch {
		case v == "":
			return builtins.Usage("empty record separator")
		case v == `\0`:
			v = "\x00"
		case len(v) > 1:
			return fmt.Errorf("multi-character separator %s", builtins.QuoteLocale(v))
		}
		if j.separator != "" && j.separator != v {
			return builtins.Usage("multiple separator characters specified")
		}
		j.separator = v
		return nil
	})
	f.Bool(&j.unbuffered, "u,unbuffered", "copy input to output at once with -n r/…")
	f.Number = func(v string) error {
		if j.way != splitNone && j.digits == "" {
			return builtins.Usage("cannot split in more than one way")
		}
		j.digits += v
		j.way = splitNone
		return j.size(splitLines, "invalid number of lines")(j.digits)
	}
}

// size returns what takes the size of pieces.
func (j *splitJob) size(way int, what string) func(string) error {
	return func(v string) error {
		if j.way != splitNone {
			return builtins.Usage("cannot split in more than one way")
		}
		n, err := numberOption(v, sizeSuffixes, 1, math.MaxInt64, what)
		j.way, j.n = way, n
		return err
	}
}

// flags declares the options about names.
func (s *splitFiles) flags(f *builtins.Flags) {
	f.Func("additional-suffix", "end the names of files with `SUFFIX`", func(v string) error {
		if strings.Contains(v, "/") {
			return builtins.Usage("invalid suffix %s, contains directory separator", builtins.QuoteLocale(v))
		}
		s.suffix = v
		return nil
	})
	f.Do("d", "use numbers as suffixes, from 0", func() error { s.alphabet = decimalDigits; return nil })
	f.Optional("numeric-suffixes", "the same as -d, but from `FROM`", s.from(decimalDigits))
	f.Do("x", "use hexadecimal numbers as suffixes, from 0", func() error { s.alphabet = hexDigits; return nil })
	f.Optional("hex-suffixes", "the same as -x, but from `FROM`", s.from(hexDigits))
	f.String(&s.filter, "filter", "write to the shell `COMMAND`, which finds the file's name in $FILE")
	f.Bool(&s.verbose, "verbose", "say which files are made")
}

// from returns what takes the first number of a kind of suffixes.
func (s *splitFiles) from(alphabet string) func(string, bool) error {
	return func(v string, ok bool) error {
		s.alphabet = alphabet
		if !ok {
			return nil
		}
		if v == "" || strings.Trim(v, alphabet) != "" {
			kind := "numerical"
			if alphabet == hexDigits {
				kind = "hexadecimal"
			}
			return builtins.Usage("%s: invalid start value for %s suffix", builtins.QuoteLocale(v), kind)
		}
		s.start = strings.TrimLeft(v[:len(v)-1], "0") + v[len(v)-1:]
		return nil
	}
}

// chunks parses the argument of -n.
func (j *splitJob) chunks(v string) error {
	if j.way != splitNone {
		return builtins.Usage("cannot split in more than one way")
	}
	j.way = splitChunks
	rest := v
	if r, ok := strings.CutPrefix(v, "l/"); ok {
		j.way, rest = splitLineChunks, r
	} else if r, ok := strings.CutPrefix(v, "r/"); ok {
		j.way, rest = splitRoundRobin, r
	}
	k, n, both := strings.Cut(rest, "/")
	if !both {
		k, n = "", rest
	}
	var err error
	if j.n, err = numberOption(n, "", 1, math.MaxInt64, "invalid number of chunks"); err != nil {
		return err
	}
	if both {
		j.only, err = numberOption(k, "", 1, j.n, "invalid chunk number")
	}
	return err
}
