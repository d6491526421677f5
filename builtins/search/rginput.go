package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pipe"
	"github.com/limpet-sh/limpet/vfs"
)

// searchFile searches the file at path, which output calls name.
func (r *ripgrep) searchFile(path, name string) error {
	f, err := r.FS.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	command := r.filterOf(path)
	if command == nil {
		return r.searchReader(r.decoded(f), name, false)
	}
	p := &preprocessor{ripgrep: r, command: command, path: path, stdin: f}
	in := p.start()
	err = r.searchReader(r.decoded(in), name, false)
	if stopped := p.stop(in); err == nil {
		err = stopped
	}
	return err
}

// rgFilters are the commands that decompress files, by the ends of their names.
var rgFilters = map[string][]string{
	".gz": {"gzip", "-d", "-c"}, ".tgz": {"gzip", "-d", "-c"}, ".bz2": {"bzip2", "-d", "-c"}, ".tbz2": {"bzip2", "-d", "-c"},
	".xz": {"xz", "-d", "-c"}, ".txz": {"xz", "-d", "-c"}, ".lz4": {"lz4", "-d", "-c"}, ".lzma": {"xz", "--format=lzma", "-d", "-c"},
	".zst": {"zstd", "-q", "-d", "-c"}, ".zstd": {"zstd", "-q", "-d", "-c"}, ".br": {"brotli", "-d", "-c"}, ".Z": {"uncompress", "-c"},
}

// filterOf returns the command whose output is searched instead of a file; nil
// for the file itself.
func (r *ripgrep) filterOf(name string) []string {
	switch {
	case r.preprocessor != "":
		if len(r.preprocessed) > 0 && decide(r.preprocessed, r.absolute(name), false) != kept {
			return nil
		}
		return []string{r.preprocessor, name}
	case r.searchZip:
		filter := rgFilters[path.Ext(name)]
		if filter == nil {
			return nil
		}
		if _, err := r.LookPath(filter[0]); err != nil {
			return nil
		}
		return append(filter[:len(filter):len(filter)], name)
	}
	return nil
}

// A preprocessor is a run of a command whose output is searched.
type preprocessor struct {
	*ripgrep
	command []string
	path    string
	stdin   io.Reader
	stderr  messages
	status  builtins.Exit
	err     error
	cancel  context.CancelFunc
	done    chan struct{}
}

// messages keeps the beginning of what a command says of its failure.
type messages struct{ bytes.Buffer }

// maxMessages is how much of the messages of a preprocessor is shown.
const maxMessages = 8 << 10

func (m *messages) Write(b []byte) (int, error) {
	m.Buffer.Write(b[:min(len(b), maxMessages-m.Len())])
	return len(b), nil
}

// start runs the command, and returns its output.
func (p *preprocessor) start() *pipe.Reader {
	in, out := pipe.New()
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(p.ctx)
	p.done = make(chan struct{})
	go func() {
		defer close(p.done)
		defer out.Close()
		p.status, p.err = p.Exec(ctx, p.command, func(c *builtins.Call) { c.Stdin, c.Stdout, c.Stderr = p.stdin, out, &p.stderr })
	}()
	return in
}

// stop waits for the command, and returns what was wrong with it. A command whose
// output was not read to its end may fail.
func (p *preprocessor) stop(in *pipe.Reader) error {
	in.Close()
	<-p.done
	p.cancel()
	quoted := make([]string, len(p.command))
	for i, word := range p.command {
		quoted[i] = fmt.Sprintf("%q", word)
	}
	line := strings.Join(quoted, " ")
	switch {
	case p.err != nil:
		return p.err
	case p.status == builtins.NotFound && p.missing():
		return fmt.Errorf("preprocessor command could not start: '%s': %v (os error %d)", line, vfs.ENOENT, int(vfs.ENOENT))
	case p.status == 0 || p.status == builtins.Signaled+builtins.Exit(builtins.SIGPIPE) || p.preprocessor == "":
		return nil
	case p.stderr.Len() == 0:
		return fmt.Errorf("preprocessor command failed: '%s': <stderr is empty>", line)
	}
	rule := strings.Repeat("-", 79)
	return fmt.Errorf("preprocessor command failed: '%s': \n%s\n%s\n%s", line, rule, strings.TrimRight(p.stderr.String(), "\n"), rule)
}

func (p *preprocessor) missing() bool {
	_, err := p.LookPath(p.command[0])
	return err != nil
}

// rgCharmaps are the encodings of -E that have a byte for each character, by their
// names on the web.
var rgCharmaps = map[string]*charmap.Charmap{
	"latin1": charmap.Windows1252, "iso-8859-1": charmap.Windows1252, "ascii": charmap.Windows1252, "us-ascii": charmap.Windows1252,
	"windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252, "l1": charmap.Windows1252, "windows-1250": charmap.Windows1250,
	"windows-1251": charmap.Windows1251, "windows-1253": charmap.Windows1253, "windows-1254": charmap.Windows1254, "windows-1255": charmap.Windows1255,
	"windows-1256": charmap.Windows1256, "windows-1257": charmap.Windows1257, "windows-1258": charmap.Windows1258, "windows-874": charmap.Windows874,
	"iso-8859-2": charmap.ISO8859_2, "latin2": charmap.ISO8859_2, "iso-8859-3": charmap.ISO8859_3, "iso-8859-4": charmap.ISO8859_4,
	"iso-8859-5": charmap.ISO8859_5, "iso-8859-6": charmap.ISO8859_6, "iso-8859-7": charmap.ISO8859_7, "iso-8859-8": charmap.ISO8859_8,
	"iso-8859-10": charmap.ISO8859_10, "iso-8859-13": charmap.ISO8859_13, "iso-8859-14": charmap.ISO8859_14, "iso-8859-15": charmap.ISO8859_15,
	"iso-8859-16": charmap.ISO8859_16, "koi8-r": charmap.KOI8R, "koi8-u": charmap.KOI8U, "ibm866": charmap.CodePage866, "macintosh": charmap.Macintosh,
}

// checkEncoding reports whether -E knows an encoding.
func (r *ripgrep) checkEncoding() error {
	switch name := strings.ToLower(strings.TrimSpace(r.encoding)); name {
	case "", "auto", "none", "utf-8", "utf8", "unicode-1-1-utf-8", "utf-16", "utf-16le", "utf-16be":
		r.encoding = name
	default:
		if rgCharmaps[name] == nil {
			return fmt.Errorf("grep config error: unknown encoding: %s", r.encoding)
		}
		r.encoding = name
	}
	return nil
}

// decoded returns a reader of the UTF-8 form of in. A byte order mark tells the
// encoding, even where -E names another.
func (r *ripgrep) decoded(in io.Reader) io.Reader {
	if r.encoding == "none" {
		return in
	}
	var mark [3]byte
	n, err := io.ReadFull(in, mark[:])
	whole := io.MultiReader(bytes.NewReader(mark[:n]), in)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return &failedReader{bytes.NewReader(mark[:n]), err}
	}
	var decoder *encoding.Decoder
	rest := func(skip int) io.Reader { return io.MultiReader(bytes.NewReader(mark[skip:n]), in) }
	utf16 := func(order unicode.Endianness) *encoding.Decoder {
		return unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
	}
	switch {
	case bytes.HasPrefix(mark[:n], []byte("\xef\xbb\xbf")):
		return rest(3)
	case bytes.HasPrefix(mark[:n], []byte("\xff\xfe")):
		whole, decoder = rest(2), utf16(unicode.LittleEndian)
	case bytes.HasPrefix(mark[:n], []byte("\xfe\xff")):
		whole, decoder = rest(2), utf16(unicode.BigEndian)
	case r.encoding == "utf-16" || r.encoding == "utf-16le":
		decoder = utf16(unicode.LittleEndian)
	case r.encoding == "utf-16be":
		decoder = utf16(unicode.BigEndian)
	case r.encoding == "utf-8" || r.encoding == "utf8" || r.encoding == "unicode-1-1-utf-8":
		decoder = unicode.UTF8.NewDecoder()
	case rgCharmaps[r.encoding] != nil:
		decoder = rgCharmaps[r.encoding].NewDecoder()
	default:
		return whole
	}
	return transform.NewReader(whole, decoder)
}

// A failedReader is an input whose beginning alone could be read.
type failedReader struct {
	io.Reader
	err error
}

func (f *failedReader) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err == io.EOF {
		err = f.err
	}
	return n, err
}
