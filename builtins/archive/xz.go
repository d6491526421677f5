package archive

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var xzCommand = commands.Add(&builtins.Command{
	Name:     "xz",
	Aliases:  []string{"unxz", "xzcat", "lzma", "unlzma", "lzcat"},
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "compress or decompress FILEs in the .xz format",
	Run:      runXz,
})

var xzPhrases = map[trouble]phrase{
	missing:      {"%p: %n: %r\n", 1},
	directory:    {"%p: %n: Is a directory, skipping\n", 2},
	suffixed:     {"%p: %n: File already has `%s' suffix, skipping\n", 2},
	unsuffixed:   {"%p: %n: Filename has an unknown suffix, skipping\n", 2},
	exists:       {"%p: %o: File exists\n", 1},
	unrecognized: {"%p: %n: File format not recognized\n", 1},
	truncated:    {"%p: %n: Unexpected end of input\n", 1},
	damaged:      {"%p: %n: Compressed data is corrupt\n", 1},
	mismatched:   {"%p: %n: Compressed data is corrupt\n", 1},
	trailing:     {"%p: %n: Unexpected end of input\n", 1},
	unwritten:    {"%p: %o: Write error: %r\n", 1},
}

func runXz(ctx context.Context, c *builtins.Call) error {
	s := squeezer{
		call: c, method: xzMethod, phrases: xzPhrases, program: c.Name, stdin: "(stdin)", suffix: ".xz",
		suffixes: map[string]string{".lzma": "", ".txz": ".tar", ".tlz": ".tar"},
	}
	s.decompress = strings.HasPrefix(c.Name, "un") || strings.HasSuffix(c.Name, "cat")
	s.stdout = strings.HasSuffix(c.Name, "cat")
	if strings.Contains(c.Name, "lz") {
		s.method, s.suffix = lzmaMethod, ".lzma"
	}
	var verbose bool
	f := c.Flags()
	f.Info("h,H,long-help", "V")
	f.Hint = c.Name + ": Try `" + c.Name + " --help' for more information.\n"
	f.Do("z,compress", "force compression", func() error { s.decompress = false; return nil })
	f.Bool(&s.decompress, "d,decompress,uncompress", "force decompression")
	f.Bool(&s.test, "t,test", "test compressed file integrity")
	f.Bool(&s.keep, "k,keep", "keep (don't delete) input files")
	f.Bool(&s.force, "f,force", "force overwrite of output file")
	f.Bool(&s.stdout, "c,stdout,to-stdout", "write to standard output and don't delete input files")
	f.Do("0", "compress at level 0", func() error { s.level = -1; return nil })
	s.declareLevels(f)
	f.Do("e,extreme", "try to improve compression; the levels do all there is here", func() error { return nil })
	f.Func("T,threads", "use at most `NUM` threads; there is always one", func(string) error { return nil })
	f.Func("F,format", "file `FORMAT` to encode or decode: auto, xz or lzma", func(text string) error {
		switch text {
		case "auto":
		case "xz":
			s.method, s.suffix = xzMethod, ".xz"
		case "lzma", "alone":
			s.method, s.suffix = lzmaMethod, ".lzma"
		default:
			return fmt.Errorf("%s: Unknown file format type", text)
		}
		return nil
	})
	f.Func("S,suffix", "use the suffix `.SUF` on compressed files", func(text string) error {
		if text == "" || strings.Contains(text, "/") {
			return errors.New(text + ": Invalid filename suffix")
		}
		s.suffix = text
		return nil
	})
	f.Bool(&s.quiet, "q,quiet", "suppress warnings")
	f.Bool(&verbose, "v,verbose", "be verbose")
	files, err := f.Parse()
	if err != nil {
		return err
	}
	s.decompress = s.decompress || s.test
	if verbose {
		s.done = func(j *squeezed) { s.reportXz(j) }
	}
	return s.run(files)
}

func (s *squeezer) reportXz(j *squeezed) {
	small, large := j.out, j.in
	arrow := "/"
	if s.decompress {
		small, large = large, small
	}
	ratio := "> 9.999"
	if large > 0 && float64(small)/float64(large) < 9.9995 {
		ratio = fmt.Sprintf("= %.3f", float64(small)/float64(large))
	}
	fmt.Fprintf(s.call.Stderr, "%s: %s %s %s %s\n", j.name, xzSize(small), arrow, xzSize(large), ratio)
}

// xzSize writes a size as xz does.
func xzSize(n int64) string {
	if n < 10000 {
		return fmt.Sprintf("%d B", n)
	}
	x := float64(n) / 1024
	unit := 0
	for x > 9999.9 && unit < 3 {
		x /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %s", x, []string{"KiB", "MiB", "GiB", "TiB"}[unit])
}
