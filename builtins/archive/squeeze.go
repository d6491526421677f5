package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// A trouble is something that keeps a file from being compressed or
// decompressed.
type trouble int

const (
	missing      trouble = iota // or not readable
	directory                   // and not to be descended into
	suffixed                    // compressed already
	unsuffixed                  // no telling the name of the output
	exists                      // the output does
	unrecognized                // not compressed by this method
	empty
	truncated
	damaged
	mismatched // the checksum does not match
	trailing   // garbage after the data
	unwritten  // the output, or not all of it
)

// A phrase is how a tool words a trouble, and the status that it makes of it.
// %[1]s is the tool, %[2]s the file, %[3]s the output and %[4]s the reason.
type phrase struct {
	text   string
	status builtins.Exit
}

// A squeezer compresses or decompresses files one by one: the part of gzip,
// bzip2, xz, zstd and lz4 that they share.
type squeezer struct {
	call    *builtins.Call
	method  *method
	phrases map[trouble]phrase
	program string // as messages call it
	stdin   string // likewise

	decompress, stdout, keep, force, test bool
	quiet, recursive, sparse              bool
	bare                                  bool // gzip -n: no name and time in the header
	restore                               bool // gzip -N: take them from there
	level                                 int
	suffix                                string // of compressed files
	output                                string // zstd -o

	// suffixes maps the suffixes that decompressing removes to what replaces
	// them.
	suffixes map[string]string

	// done, unless nil, tells of a file that has been dealt with.
	done func(j *squeezed)

	status builtins.Exit
	failed bool // the current file
}

// A squeezed is the result for one file.
type squeezed struct {
	name, output string
	in, out      int64
}

// complain prints what a trouble is in the words of the tool.
func (s *squeezer) complain(t trouble, name, output string, reason error) {
	p := s.phrases[t]
	if reason != nil {
		reason = vfs.ErrnoOf(reason)
	}
	if !s.quiet || p.status == 1 {
		deleting := ""
		if output != s.toStdout() {
			deleting = fmt.Sprintf("%s: Deleting output file %s, if it exists.\n", s.program, output)
		}
		text := strings.NewReplacer("%d", deleting, "%p", s.program, "%n", name, "%o", output, "%r", fmt.Sprint(reason), "%s", s.suffix).Replace(p.text)
		fmt.Fprint(s.call.Stderr, text)
	}
	s.failed = s.failed || t != trailing
	if s.rank(p.status) > s.rank(s.status) {
		s.status = p.status
	}
}

// rank orders statuses by how bad they are: for most tools 2 is a warning and 1
// an error.
func (s *squeezer) rank(status builtins.Exit) builtins.Exit {
	switch {
	case s.method == bzip2Method || status == 0:
		return status
	case status == 2:
		return 1
	}
	return status + 1
}

// run deals with the files, or with standard input where there are none.
func (s *squeezer) run(files []string) error {
	if s.level == 0 {
		s.level = s.method.standard
	}
	if err := s.call.Alloc(s.method.memory); err != nil {
		return err
	}
	defer s.call.Free(s.method.memory)
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if err := s.file(name); err != nil {
			return err
		}
	}
	if s.status != 0 {
		return s.status
	}
	return nil
}

// file deals with one file. Its errors end the call.
func (s *squeezer) file(name string) error {
	if name == "-" {
		out := io.Writer(s.call.Stdout)
		if s.test {
			out = io.Discard
		}
		return s.stream(s.call.Stdin, out, &squeezed{name: s.stdin, output: s.toStdout()}, member{level: s.level})
	}
	info, err := s.stat(&name)
	if err != nil {
		if s.method != zstdMethod || !s.decompress || s.stdout || s.test || s.outputName(name) != "" {
			s.complain(missing, name, "", err)
		}
		return nil
	}
	if info.IsDir() {
		if s.recursive {
			return s.tree(name)
		}
		s.complain(directory, name, "", nil)
		return nil
	}
	j := &squeezed{name: name, output: s.toStdout()}
	if s.method == xzMethod && s.decompress && !s.begins(name) {
		s.complain(unrecognized, name, "", nil)
		return nil
	}
	if !s.stdout && !s.test {
		if j.output = s.outputName(name); j.output == "" {
			return nil
		}
	}
	in, err := s.call.Open(name)
	if err != nil {
		s.complain(missing, name, "", err)
		return nil
	}
	defer in.Close()
	m := member{name: path.Base(name), mtime: info.ModTime(), level: s.level, size: info.Size()}
	switch {
	case s.test:
		return s.stream(in, io.Discard, j, m)
	case s.stdout:
		return s.stream(in, s.call.Stdout, j, m)
	}
	return s.replace(in, info, j, m)
}

// begins reports whether a file begins as compressed data does. xz looks at
// that before it looks at the name.
func (s *squeezer) begins(name string) bool {
	f, err := s.call.Open(name)
	if err != nil {
		return true
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 16)
	return s.force && s.stdout || s.method.matches(r) || lzmaMethod.matches(r)
}

// toStdout returns what messages call standard output.
func (s *squeezer) toStdout() string {
	if s.method == bzip2Method || s.method == xzMethod {
		return "(stdout)"
	}
	return "stdout"
}

// stat finds a file. A name that lacks the suffix of compressed files may stand
// for one that has it.
func (s *squeezer) stat(name *string) (fs.FileInfo, error) {
	info, err := s.call.FS.Stat(*name)
	if errors.Is(err, fs.ErrNotExist) && s.decompress && s.method == gzipMethod && path.Ext(*name) != s.suffix {
		*name += s.suffix
		return s.call.FS.Stat(*name)
	}
	return info, err
}

func (s *squeezer) tree(dir string) error {
	entries, err := s.call.FS.ReadDir(dir)
	if err != nil {
		s.complain(missing, dir, "", err)
		return nil
	}
	for _, e := range entries {
		if err := s.call.Poll(1); err != nil {
			return err
		}
		if err := s.file(strings.TrimSuffix(dir, "/") + "/" + e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// outputName returns the name of the output for a file, or "" after saying why
// there is none.
func (s *squeezer) outputName(name string) string {
	if s.output != "" {
		return s.output
	}
	ext := path.Ext(name)
	replacement, known := s.suffixes[ext]
	if ext == s.suffix {
		replacement, known = "", true
	}
	known = known && strings.TrimSuffix(path.Base(name), ext) != ""
	switch {
	case s.decompress && !known:
		s.complain(unsuffixed, name, "", nil)
		if s.method == bzip2Method {
			return name + ".out"
		}
		return ""
	case s.decompress:
		return strings.TrimSuffix(name, ext) + replacement
	case known && !s.force && s.method != zstdMethod && s.method != lz4Method:
		s.complain(suffixed, name, "", nil)
		return ""
	}
	return name + s.suffix
}

// replace writes the output to a file and removes the input.
func (s *squeezer) replace(in io.Reader, info fs.FileInfo, j *squeezed, m member) error {
	view := s.call.FS
	flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_EXCL
	if s.force {
		flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	}
	out, err := view.OpenFile(j.output, flag, 0o600)
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			s.complain(exists, j.name, j.output, nil)
		} else {
			s.complain(missing, j.output, "", err)
		}
		return nil
	}
	s.failed = false
	err = s.stream(in, out, j, m)
	closeErr := out.Close()
	if err != nil || s.failed || closeErr != nil {
		_ = view.Remove(j.output)
		if err == nil && closeErr != nil {
			s.complain(missing, j.output, "", closeErr)
		}
		return err
	}
	_ = view.Chmod(j.output, info.Mode().Perm())
	_ = view.Chtimes(j.output, info.ModTime(), info.ModTime())
	if s.keep {
		return nil
	}
	return view.Remove(j.name)
}

// stream compresses or decompresses in to out.
func (s *squeezer) stream(in io.Reader, out io.Writer, j *squeezed, m member) error {
	from := &counter{Reader: polled{in, s.call}}
	to := &counter{Writer: out}
	var err error
	if s.decompress {
		err = s.expand(bufio.NewReaderSize(from, bufferSize), to)
	} else {
		err = s.shrink(from, to, m)
	}
	j.in, j.out = from.n, to.n
	if err == nil || errors.Is(err, errGarbage) {
		if s.done != nil {
			s.done(j)
		}
	}
	if err == nil {
		return nil
	}
	if isWrite(err) {
		s.complain(unwritten, j.name, j.output, err)
		return s.status
	}
	if s.call.Ends(err) {
		return err
	}
	problem, ok := map[error]trouble{
		errFormat: unrecognized, errEmpty: empty, errTruncated: truncated, errChecksum: mismatched, errCorrupt: damaged, errGarbage: trailing,
	}[err]
	if !ok {
		problem = missing
	}
	s.complain(problem, j.name, j.output, err)
	if s.method == gzipMethod && problem == damaged {
		return s.status // gzip gives up
	}
	return nil
}

func (s *squeezer) shrink(in io.Reader, out io.Writer, m member) error {
	if s.bare {
		m = member{level: s.level, size: m.size}
	}
	if s.method.more != nil {
		more := s.method.more(m)
		if err := s.call.Alloc(more); err != nil {
			return err
		}
		defer s.call.Free(more)
	}
	w := bufio.NewWriterSize(out, bufferSize)
	z, err := s.method.encode(w, m)
	if err != nil {
		return err
	}
	var to io.Writer = z
	if s.method == xzMethod || s.method == lzmaMethod {
		to = patient{z, s.call}
	}
	if _, err := transfer(s.call, to, in); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return w.Flush()
}

func (s *squeezer) expand(in *bufio.Reader, out io.Writer) error {
	m := s.method
	if m != lzmaMethod && !m.matches(in) {
		if s.stdout && s.force {
			_, err := transfer(s.call, out, in)
			return err
		}
		if _, err := in.Peek(1); err == io.EOF && m != xzMethod && m != lz4Method {
			return errEmpty
		}
		if other := methodOf(in); m == xzMethod && other == lzmaMethod || m == zstdMethod && other != nil {
			m = other
		} else {
			return errFormat
		}
	}
	w := window{call: s.call}
	defer w.free()
	z, err := m.decode(&w, in, nil)
	if err != nil {
		return err
	}
	_, err = transfer(s.call, out, z)
	return err
}
