package archive

import (
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var lz4Command = commands.Add(&builtins.Command{
	Name:     "lz4",
	Aliases:  []string{"unlz4", "lz4cat", "lz4c"},
	Synopsis: "[arg] [input] [output]",
	Summary:  "compress or decompress files in the .lz4 format",
	Run:      runLz4,
})

var lz4Phrases = map[trouble]phrase{
	missing:      {"%n: %r \n", 1},
	directory:    {"lz4: %n is a directory -- ignored \n", 1},
	unsuffixed:   {"Cannot determine an output filename\n", 1},
	exists:       {"%o already exists; not overwritten  \n", 1},
	unrecognized: {"Error 44 : Unrecognized header : file cannot be decoded \n", 44},
	truncated:    {"Error 68 : Unfinished stream \n", 68},
	damaged:      {"Error 66 : Decompression error : ERROR_decompressionFailed \n", 66},
	mismatched:   {"Error 66 : Decompression error : ERROR_contentChecksum_invalid \n", 66},
	trailing:     {"Stream followed by undecodable data \n", 44},
	unwritten:    {"Error 42 : Write error : failed writing single-block compressed frame \n", 42},
}

func runLz4(ctx context.Context, c *builtins.Call) error {
	s := squeezer{
		call: c, method: lz4Method, phrases: lz4Phrases, program: "lz4", stdin: "stdin", suffix: ".lz4", keep: true,
		suffixes: map[string]string{".tlz4": ".tar"},
	}
	s.decompress = strings.HasPrefix(c.Name, "un") || c.Name == "lz4cat"
	s.stdout = c.Name == "lz4cat"
	var multiple bool
	f := c.Flags()
	f.Info("h,H", "V")
	f.Bool(&s.decompress, "d,decompress,uncompress", "decompression")
	f.Do("z,compress", "force compression", func() error { s.decompress = false; return nil })
	f.Bool(&s.test, "t,test", "test compressed file integrity")
	f.Bool(&s.force, "f,force", "overwrite output without prompting")
	f.Bool(&s.keep, "k,keep", "preserve source files (default)")
	f.Do("rm", "remove source files after successful de/compression", func() error { s.keep = false; return nil })
	f.Bool(&s.stdout, "c,stdout,to-stdout", "force write to standard output")
	f.Bool(&multiple, "m,multiple", "multiple input files")
	f.Bool(&s.recursive, "r", "operate recursively on directories (sets also -m)")
	f.Bool(&s.quiet, "q,quiet", "suppress warnings")
	s.declareLevels(f)
	files, err := f.Parse()
	if err != nil {
		return err
	}
	s.decompress = s.decompress || s.test
	if !multiple && !s.recursive && !s.test {
		if len(files) == 2 && !s.stdout {
			s.output, files = files[1], files[:1]
			s.done = func(j *squeezed) { s.reportLz4(j) }
		} else if len(files) == 1 && !s.stdout {
			fmt.Fprint(c.Stderr, "Warning : using stdout as default output. Do not rely on this behavior: use explicit `-c` instead ! \n")
			s.stdout = true
		}
	}
	return s.run(files)
}

func (s *squeezer) reportLz4(j *squeezed) {
	if s.quiet {
		return
	}
	blank := "\r" + strings.Repeat(" ", 79) + "\r"
	if s.decompress {
		fmt.Fprintf(s.call.Stderr, "%s%-20.20s : decoded %d bytes \n", blank, j.name, j.out)
		return
	}
	fmt.Fprintf(s.call.Stderr, "%sCompressed %d bytes into %d bytes ==> %.2f%%\n", blank, j.in, j.out, 100*float64(j.out)/float64(max(j.in, 1)))
}
