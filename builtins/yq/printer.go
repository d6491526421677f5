package yq

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/limpet-sh/limpet/internal/yq"
)

// A printer prints results.
type printer struct {
	job *job
	enc yq.Encoder
	out io.Writer

	name      *yq.Expr // of the file for each result, or nil
	extension string
	index     int // of the file

	started   bool
	matched   bool // a result was neither null nor false
	doc, file int  // of the last result
}

// print prints the results for one input.
func (p *printer) print(nodes []*yq.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	if !p.enc.Aliases() {
		if err := p.job.m.Explode(nodes); err != nil {
			return err
		}
	}
	if !p.started {
		p.started = true
		p.doc, p.file = nodes[0].Doc(), nodes[0].File()
	}
	for _, n := range nodes {
		if err := p.job.Poll(1); err != nil {
			return err
		}
		if err := p.result(n); err != nil {
			return err
		}
		p.doc = n.Doc()
	}
	return nil
}

func (p *printer) result(n *yq.Node) error {
	if p.name == nil {
		return p.write(p.out, n)
	}
	f, err := p.create(n)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = p.write(w, n)
	if flush := w.Flush(); err == nil {
		err = flush
	}
	if end := f.Close(); err == nil {
		err = end
	}
	return err
}

// write prints a result after what separates it from the last.
func (p *printer) write(w io.Writer, n *yq.Node) error {
	if (p.doc != n.Doc() || p.file != n.File()) && !n.Separated() {
		if err := p.enc.Separate(w); err != nil {
			return err
		}
	}
	p.matched = p.matched || n.Matched()
	if !p.job.nul {
		if err := p.enc.Lead(w, n.Lead); err != nil {
			return err
		}
		return p.enc.Encode(w, n)
	}
	var b bytes.Buffer
	if err := p.enc.Lead(&b, n.Lead); err != nil {
		return err
	}
	if err := p.enc.Encode(&b, n); err != nil {
		return err
	}
	text := bytes.TrimSuffix(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\r"))
	if bytes.IndexByte(text, 0) >= 0 {
		return errors.New("can't serialise value because it contains NUL char and you are using NUL separated output")
	}
	_, err := w.Write(append(text, 0))
	return err
}

var hasExtension = regexp.MustCompile(`\.[a-zA-Z0-9]+$`)

// create makes the file for a result.
func (p *printer) create(n *yq.Node) (io.WriteCloser, error) {
	names, err := p.job.m.EvalIndexed(p.name, n, p.index)
	if err != nil {
		return nil, err
	}
	p.index++
	name := ""
	if len(names) > 0 {
		name = names[0].Value
	}
	if !hasExtension.MatchString(name) {
		name += "." + p.extension
	}
	if !p.job.anyPath {
		if err := p.inside(name); err != nil {
			return nil, fmt.Errorf("refusing to write split output to %q: %w", name, err)
		}
	}
	if dir := path.Dir(name); dir != "." {
		if err := p.job.FS.MkdirAll(dir, 0o750); err != nil {
			return nil, err
		}
	}
	return p.job.FS.Create(name)
}

// inside fails unless a name stays below the working directory, through
// directories that are no links.
func (p *printer) inside(name string) error {
	dir := p.job.FS.Dir
	full := path.Clean(p.job.FS.Abs(name))
	rest, ok := strings.CutPrefix(full, strings.TrimSuffix(dir, "/")+"/")
	if !ok {
		return errors.New("path must stay within the current directory")
	}
	for i, c := range rest {
		if c != '/' {
			continue
		}
		info, err := p.job.FS.Lstat(path.Join(dir, rest[:i]))
		if err != nil {
			return nil // it will be made
		}
		if !info.IsDir() {
			return errors.New("path must not go through a symbolic link")
		}
	}
	info, err := p.job.FS.Lstat(full)
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("destination is not a regular file")
	}
	return nil
}
