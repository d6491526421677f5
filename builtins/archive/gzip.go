package archive

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/limpet-sh/limpet/builtins"
)

var gzipCommand = commands.Add(&builtins.Command{
	Name:     "gzip",
	Aliases:  []string{"gunzip", "zcat"},
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "compress or expand files",
	Run:      runGzip,
})

// gzipPhrases are the words of gzip, which it uses under its other names too.
var gzipPhrases = map[trouble]phrase{
	missing:      {"%p: %n: %r\n", 1},
	directory:    {"%p: %n is a directory -- ignored\n", 2},
	suffixed:     {"%p: %n already has %s suffix -- unchanged\n", 0},
	unsuffixed:   {"%p: %n: unknown suffix -- ignored\n", 2},
	exists:       {"%p: %o already exists;\tnot overwritten\n", 2},
	unrecognized: {"\n%p: %n: not in gzip format\n", 1},
	empty:        {"\n%p: %n: unexpected end of file\n", 1},
	truncated:    {"\n%p: %n: unexpected end of file\n", 1},
	damaged:      {"\n%p: %n: invalid compressed data--format violated\n", 1},
	mismatched:   {"\n%p: %n: invalid compressed data--crc error\n", 1},
	trailing:     {"\n%p: %n: decompression OK, trailing garbage ignored\n", 2},
	unwritten:    {"\n%p: %o: %r\n", 1},
}

func runGzip(ctx context.Context, c *builtins.Call) error {
	s := squeezer{
		call: c, method: gzipMethod, phrases: gzipPhrases, program: "gzip", stdin: "stdin", suffix: ".gz",
		suffixes: map[string]string{".z": "", ".tgz": ".tar", ".taz": ".tar"},
	}
	s.decompress = c.Name == "gunzip" || c.Name == "zcat"
	s.stdout = c.Name == "zcat"
	c.Name = "gzip"
	var list, verbose bool
	f := c.Flags()
	f.Info("h", "V")
	f.Hint = "Try `gzip --help' for more information.\n"
	f.Do("a,ascii", "ascii text; the same as binary here", func() error { return nil })
	f.Bool(&s.stdout, "c,stdout,to-stdout", "write on standard output, keep original files unchanged")
	f.Bool(&s.decompress, "d,decompress,uncompress", "decompress")
	f.Bool(&s.force, "f,force", "force overwrite of output file and compress links")
	f.Bool(&s.keep, "k,keep", "keep (don't delete) input files")
	f.Bool(&list, "l,list", "list compressed file contents")
	f.Bool(&s.bare, "n,no-name", "do not save or restore the original name and timestamp")
	f.Do("N,name", "save or restore the original name and timestamp", func() error { s.bare, s.restore = false, true; return nil })
	f.Bool(&s.quiet, "q,quiet,silent", "suppress all warnings")
	f.Bool(&s.recursive, "r,recursive", "operate recursively on directories")
	f.String(&s.suffix, "S,suffix", "use suffix `SUF` on compressed files")
	f.Bool(&s.test, "t,test", "test compressed file integrity")
	f.Bool(&verbose, "v,verbose", "verbose mode")
	s.declareLevels(f)
	files, err := f.Parse()
	if err != nil {
		return err
	}
	s.decompress = s.decompress || s.test || list
	if list {
		l := lister{squeezer: &s, verbose: verbose, header: !s.quiet}
		return l.run(files)
	}
	if verbose {
		s.done = func(j *squeezed) { s.reportGzip(j) }
	}
	return s.run(files)
}

// declareLevels declares the options -1 to -9.
func (s *squeezer) declareLevels(f *builtins.Flags) {
	for level := 1; level <= 9; level++ {
		names := strconv.Itoa(level)
		switch level {
		case 1:
			names += ",fast"
		case 9:
			names += ",best"
		}
		f.Do(names, "compress at level "+strconv.Itoa(level), func() error { s.level = level; return nil })
	}
}

// reportGzip tells what has become of a file.
func (s *squeezer) reportGzip(j *squeezed) {
	w := s.call.Stderr
	if s.test {
		if j.name != s.stdin {
			fmt.Fprintf(w, "%s:\t", j.name)
		}
		fmt.Fprintln(w, " OK")
		return
	}
	small, large := j.out, j.in
	if s.decompress {
		small, large = large, small
	}
	verb := "replaced with"
	if s.keep && !s.stdout {
		verb = "created"
	}
	fmt.Fprintf(w, "%s:\t%5.1f%% -- %s %s\n", j.name, gzipRatio(large, small, s.header(j)), verb, j.output)
}

// header returns how much of a compressed file is not data.
func (s *squeezer) header(j *squeezed) int64 {
	if s.bare || j.name == s.stdin {
		return 18
	}
	return int64(18 + len(baseName(j.name, s.suffix, s.decompress)) + 1)
}

func baseName(name, suffix string, cut bool) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			name = name[i+1:]
			break
		}
	}
	if n := len(name) - len(suffix); cut && n > 0 && name[n:] == suffix {
		name = name[:n]
	}
	return name
}

// gzipRatio returns the percentage that compression saved.
func gzipRatio(large, small, header int64) float64 {
	if large == 0 {
		return 0
	}
	return 100 * float64(large-(small-header)) / float64(large)
}

// A lister prints the table of gzip -l.
type lister struct {
	*squeezer
	verbose, header bool
	small, large    int64
	headers         int64
	rows            int
}

func (l *lister) run(files []string) error {
	if len(files) == 0 {
		files = []string{"-"}
	}
	w := bufio.NewWriter(l.call.Stdout)
	for _, name := range files {
		if err := l.file(w, name); err != nil {
			return err
		}
	}
	if l.rows > 1 && l.header {
		if l.verbose {
			fmt.Fprintf(w, "%27s", "")
		}
		fmt.Fprintf(w, "%19d %19d %5.1f%% (totals)\n", l.small, l.large, gzipRatio(l.large, l.small, l.headers))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if l.status != 0 {
		return l.status
	}
	return nil
}

// file prints the row of a file.
func (l *lister) file(w *bufio.Writer, name string) error {
	var in io.Reader = l.call.Stdin
	shown, mtime := "stdout", l.call.Clock.Now()
	if name != "-" {
		info, err := l.stat(&name)
		if err != nil {
			l.complain(missing, name, "", err)
			return nil
		}
		f, err := l.call.Open(name)
		if err != nil {
			l.complain(missing, name, "", err)
			return nil
		}
		defer f.Close()
		in, shown, mtime = f, name[:len(name)-len(baseName(name, "", false))]+baseName(name, l.suffix, true), info.ModTime()
	} else {
		name = l.stdin
	}
	from := &counter{Reader: polled{in, l.call}}
	r := bufio.NewReaderSize(from, bufferSize)
	if !gzipMethod.matches(r) {
		problem := unrecognized
		if _, err := r.Peek(1); err == io.EOF {
			problem = empty
		}
		l.complain(problem, name, "", nil)
		return nil
	}
	var m member
	if _, err := decodeGzip(nil, r, &m); err != nil {
		l.complain(damaged, name, "", nil)
		return nil
	}
	tail, err := lastBytes(l.call, r, 8)
	if err != nil {
		return err
	}
	if !m.mtime.IsZero() {
		mtime = m.mtime
	}
	l.row(w, shown, from.n, tail, m, mtime)
	return nil
}

func (l *lister) row(w *bufio.Writer, name string, small int64, tail []byte, m member, mtime time.Time) {
	var sum, large int64
	if len(tail) == 8 {
		sum, large = int64(binary.LittleEndian.Uint32(tail)), int64(binary.LittleEndian.Uint32(tail[4:]))
	}
	if l.rows == 0 && l.header {
		if l.verbose {
			w.WriteString("method  crc     date  time  ")
		}
		w.WriteString("         compressed        uncompressed  ratio uncompressed_name\n")
	}
	l.rows++
	header := int64(18)
	if m.name != "" {
		header += int64(len(m.name)) + 1
	}
	l.small, l.large, l.headers = l.small+small, l.large+large, l.headers+header
	if l.verbose {
		fmt.Fprintf(w, "defla %08x %s ", sum, mtime.UTC().Format("Jan _2 15:04"))
	}
	fmt.Fprintf(w, "%19d %19d %5.1f%% %s\n", small, large, gzipRatio(large, small, header), name)
}

// lastBytes reads r to its end and returns the last n bytes.
func lastBytes(c *builtins.Call, r io.Reader, n int) ([]byte, error) {
	var tail []byte
	buf := make([]byte, bufferSize)
	for {
		k, err := r.Read(buf)
		tail = append(tail, buf[:k]...)
		tail = tail[max(0, len(tail)-n):]
		if err == io.EOF {
			return tail, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
