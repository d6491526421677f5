package archive

import (
	"context"
	"fmt"
	"maps"

	"github.com/limpet-sh/limpet/builtins"
)

var bzip2Command = commands.Add(&builtins.Command{
	Name:     "bzip2",
	Aliases:  []string{"bunzip2", "bzcat"},
	Synopsis: "[flags and input files in any order]",
	Summary:  "a block-sorting file compressor",
	Run:      runBzip2,
})

const bzip2Advice = "\nYou can use the `bzip2recover' program to attempt to recover\ndata from undamaged sections of corrupted files.\n\n"

const bzip2Reason = "  *Possible* reason follows.\n%p: Success\n\tInput file = %n, output file = %o\n\n" +
	"It is possible that the compressed file(s) have become corrupted.\n" +
	"You can use the -tvv option to test integrity of such files.\n" + bzip2Advice

var bzip2Phrases = map[trouble]phrase{
	missing:      {"%p: Can't open input file %n: %r.\n", 1},
	directory:    {"%p: Input file %n is a directory.\n", 1},
	suffixed:     {"%p: Input file %n already has .bz2 suffix.\n", 1},
	unsuffixed:   {"%p: Can't guess original name for %n -- using %n.out\n", 0},
	exists:       {"%p: Output file %o already exists.\n", 1},
	unrecognized: {"%p: %n is not a bzip2 file.\n", 2},
	empty:        {"%p: %n: file ends unexpectedly\n" + bzip2Advice, 2},
	truncated:    {"\n%p: Compressed file ends unexpectedly;\n\tperhaps it is corrupted?" + bzip2Reason, 2},
	damaged:      {"\n%p: Data integrity error when decompressing.\n\tInput file = %n, output file = %o\n\n" + bzip2Advice, 2},
	mismatched:   {"\n%p: Data integrity error when decompressing.\n\tInput file = %n, output file = %o\n\n" + bzip2Advice, 2},
	trailing:     {"\n%p: %n: trailing garbage after EOF ignored\n", 0},
	unwritten:    {"\n%p: I/O or other error, bailing out.  Possible reason follows.\n%p: %r\n\tInput file = %n, output file = %o\n%d", 1},
}

func runBzip2(ctx context.Context, c *builtins.Call) error {
	s := squeezer{
		call: c, method: bzip2Method, phrases: bzip2Phrases, program: c.Name, stdin: "(stdin)", suffix: ".bz2",
		suffixes: map[string]string{".bz": "", ".tbz2": ".tar", ".tbz": ".tar"},
	}
	s.decompress = c.Name != "bzip2"
	s.stdout = c.Name == "bzcat"
	var verbose bool
	f := c.Flags()
	f.Info("h", "V,L,license")
	f.Bool(&s.stdout, "c,stdout", "output to standard out")
	f.Bool(&s.decompress, "d,decompress", "force decompression")
	f.Do("z,compress", "force compression", func() error { s.decompress = false; return nil })
	f.Bool(&s.keep, "k,keep", "keep (don't delete) input files")
	f.Bool(&s.force, "f,force", "overwrite existing output files")
	f.Bool(&s.test, "t,test", "test compressed file integrity")
	f.Bool(&s.quiet, "q,quiet", "suppress noncritical error messages")
	f.Bool(&verbose, "v,verbose", "be verbose")
	f.Do("s,small", "use less memory; it is the same here", func() error { return nil })
	s.declareLevels(f)
	files, err := f.Parse()
	if err != nil {
		return err
	}
	s.decompress = s.decompress || s.test
	if verbose {
		width := len(s.stdin)
		for _, name := range files {
			width = max(width, len(name))
		}
		s.done = func(j *squeezed) { s.reportBzip2(j, width) }
	}
	if s.test {
		s.phrases = maps.Clone(bzip2Phrases)
		s.phrases[truncated] = s.phrases[empty]
		s.phrases[unrecognized] = phrase{"%p: %n: bad magic number (file not created by bzip2)\n" + bzip2Advice, 2}
	} else if s.decompress {
		s.phrases = maps.Clone(bzip2Phrases)
		s.phrases[empty] = s.phrases[truncated]
	}
	return s.run(files)
}

func (s *squeezer) reportBzip2(j *squeezed, width int) {
	w := s.call.Stderr
	fmt.Fprintf(w, "  %s: %*s", j.name, width-len(j.name), "")
	switch {
	case s.test:
		fmt.Fprintln(w, "ok")
	case s.decompress:
		fmt.Fprintln(w, "done")
	case j.in == 0:
		fmt.Fprintln(w, " no data compressed.")
	default:
		in, out := float64(j.in), float64(j.out)
		fmt.Fprintf(w, "%6.3f:1, %6.3f bits/byte, %5.2f%% saved, %d in, %d out.\n", in/out, 8*out/in, 100*(1-out/in), j.in, j.out)
	}
}
