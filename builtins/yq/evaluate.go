package yq

import (
	"bufio"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/internal/yq"
)

// evaluate applies the expression to the input: to each document, or to all.
func (j *job) evaluate() error {
	if len(j.files) == 0 {
		return j.results([]*yq.Node{yq.Empty()})
	}
	var docs []*yq.Node
	some := false
	var rest io.Reader
	for i, name := range j.files {
		r, closeFile, err := j.open(name)
		if err != nil {
			return err
		}
		if i == 0 && j.front != "" {
			r, rest = frontMatter(r)
		}
		d := j.m.NewDecoder(j.from, r, j.header && (!j.all || i == 0))
		if j.all {
			var more []*yq.Node
			more, err = j.m.Documents(d, name, i)
			docs = append(docs, more...)
		} else {
			err = j.each(d, name, i, &some)
		}
		if i > 0 || j.front != "process" {
			closeFile()
		} else {
			defer closeFile()
		}
		if err != nil {
			return err
		}
	}
	if j.all && len(docs) > 0 {
		if err := j.results(docs); err != nil {
			return err
		}
	} else if !some {
		if err := j.results([]*yq.Node{yq.Empty()}); err != nil {
			return err
		}
	}
	if j.front == "process" {
		_, err := io.Copy(j.printer.out, rest)
		return err
	}
	return nil
}

func (j *job) open(name string) (r io.Reader, closeFile func(), err error) {
	if name == "-" {
		return j.Stdin, func() {}, nil
	}
	f, err := j.Open(name)
	if err != nil {
		return nil, nil, yq.OpenError(name, err)
	}
	return f, func() { _ = f.Close() }, nil
}

// each evaluates the documents of one file.
func (j *job) each(d yq.Decoder, name string, file int, some *bool) error {
	held := j.m.Held()
	for doc := 0; ; doc++ {
		n, err := d.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return yq.BadFile(name, err)
		}
		*some = true
		n.Place(doc, file, name, false)
		if err := j.results([]*yq.Node{n}); err != nil {
			return err
		}
		j.m.Reset(held)
	}
}

func (j *job) results(nodes []*yq.Node) error {
	out, err := j.m.Eval(j.expr, nodes)
	if err != nil {
		return err
	}
	return j.printer.print(out)
}

// frontMatter splits a file before its second line of dashes.
func frontMatter(r io.Reader) (front, rest io.Reader) {
	in := bufio.NewReader(r)
	var text strings.Builder
	for lines := 0; ; lines++ {
		start, err := in.Peek(3)
		if err != nil || lines > 0 && string(start) == "---" {
			return strings.NewReader(text.String()), in
		}
		line, _ := in.ReadString('\n')
		text.WriteString(line)
	}
}
