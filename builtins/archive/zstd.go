package archive

import (
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var zstdCommand = commands.Add(&builtins.Command{
	Name:     "zstd",
	Aliases:  []string{"unzstd", "zstdcat", "zstdmt"},
	Synopsis: "[OPTIONS...] [INPUT... | -] [-o OUTPUT]",
	Summary:  "compress or decompress FILEs in the .zst format",
	Run:      runZstd,
})

var zstdPhrases = map[trouble]phrase{
	missing:   {"%p: can't stat %n : %r -- ignored \n", 1},
	directory: {"%p: %n is a directory -- ignored \n", 1},
	unsuffixed: {"%p: %n: unknown suffix (.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected). " +
		"Can't derive the output file name. Specify it with -o dstFileName. Ignoring.\n", 1},
	exists:       {"%p: %o already exists; not overwritten  \n", 1},
	unrecognized: {"%p: %n: unsupported format \n", 1},
	empty:        {"%p: %n: unexpected end of file \n", 1},
	truncated:    {"%n : Read error (39) : premature end \n", 1},
	damaged:      {"%n : Decoding error (36) : Data corruption detected \n", 1},
	mismatched:   {"%n : Decoding error (36) : Restored data doesn't match checksum \n", 1},
	trailing:     {"%p: %n: unsupported format \n", 1},
	unwritten:    {"%p: error 70 : Write error : cannot write block : %r \n", 70},
}

func runZstd(ctx context.Context, c *builtins.Call) error {
	s := squeezer{
		call: c, method: zstdMethod, phrases: zstdPhrases, program: "zstd", stdin: `/*stdin*\`, suffix: ".zst", keep: true,
		suffixes: map[string]string{".gz": "", ".xz": "", ".lz4": "", ".lzma": "", ".tzst": ".tar", ".tgz": ".tar", ".txz": ".tar", ".tlz4": ".tar"},
	}
	s.decompress = strings.HasPrefix(c.Name, "un") || strings.HasSuffix(c.Name, "cat")
	s.stdout = strings.HasSuffix(c.Name, "cat")
	var verbose, ultra bool
	f := c.Flags()
	f.Info("h,H", "V")
	f.String(&s.output, "o", "write output to a single file, `OUTPUT`")
	f.Bool(&s.keep, "k,keep", "preserve INPUT files (default)")
	f.Do("rm", "remove INPUT files after successful (de)compression", func() error { s.keep = false; return nil })
	f.Bool(&s.decompress, "d,decompress,uncompress", "perform decompression")
	f.Do("z,compress", "perform compression", func() error { s.decompress = false; return nil })
	f.Bool(&s.force, "f,force", "overwrite existing output")
	f.Bool(&s.stdout, "c,stdout", "write to STDOUT")
	f.Bool(&s.test, "t,test", "test compressed file integrity")
	f.Bool(&s.recursive, "r", "operate recursively on directories")
	f.Bool(&s.quiet, "q,quiet", "suppress warnings")
	f.Bool(&verbose, "v,verbose", "increase verbosity")
	f.Bool(&ultra, "ultra", "enable levels beyond 19")
	f.Func("T,threads", "use `NUM` threads; there is always one", func(string) error { return nil })
	f.Number = func(digits string) error {
		level := 0
		_, err := fmt.Sscanf(digits, "%d", &level)
		if s.level = level; level > 19 && !ultra {
			s.level = 19
		}
		return err
	}
	files, err := f.Parse()
	if err != nil {
		return err
	}
	s.decompress = s.decompress || s.test
	if !s.quiet {
		s.done = func(j *squeezed) { s.reportZstd(j) }
	}
	return s.run(files)
}

// reportZstd tells what has become of a file, unless it went to standard
// output.
func (s *squeezer) reportZstd(j *squeezed) {
	w := s.call.Stderr
	switch {
	case !s.test && (s.stdout || j.name == s.stdin):
	case s.decompress:
		fmt.Fprintf(w, "%-20s: %d bytes \n", j.name, j.out)
	case j.in == 0:
		fmt.Fprintf(w, "%-20s :  (%s => %s, %s) \n", j.name, zstdSize(j.in), zstdSize(j.out), j.output)
	default:
		fmt.Fprintf(w, "%-20s :%6.2f%%   (%s => %s, %s) \n", j.name, 100*float64(j.out)/float64(j.in), zstdSize(j.in), zstdSize(j.out), j.output)
	}
}

// zstdSize writes a size as zstd does: six characters and a unit.
func zstdSize(n int64) string {
	x, unit := float64(n), 0
	units := []string{" B", " KiB", " MiB", " GiB", " TiB"}
	for x >= 1024 && unit < len(units)-1 {
		x /= 1024
		unit++
	}
	digits := 2
	switch {
	case unit == 0:
		digits = 0
	case x >= 100:
		digits = 0
	case x >= 10:
		digits = 1
	}
	return fmt.Sprintf("%6.*f%s", digits, x, units[unit])
}
