package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

func xanFmt(t *xanCall) error {
	var delimiter, quote string
	var tabs, crlf, always, never bool
	t.String(&delimiter, "t,out-delimiter", "the `CHAR` between fields of the output")
	t.String(&quote, "quote", "the `CHAR` around fields that need it")
	t.Bool(&tabs, "tabs", "put tabs between fields")
	t.Bool(&crlf, "crlf", "end lines in CR and LF")
	t.Bool(&always, "quote-always", "quote all fields")
	t.Bool(&never, "quote-never", "quote no fields")
	args, err := t.operands(0, 1)
	if err != nil {
		return err
	}
	if tabs || delimiter == `\t` {
		delimiter = "\t"
	}
	if len(delimiter) > 1 || len(quote) > 1 {
		return t.Flags.Fail(errors.New("a delimiter or quote must be one character"))
	}
	if delimiter != "" {
		t.out.delimiter = delimiter[0]
	}
	if quote != "" {
		t.out.quote = quote[0]
	}
	t.out.crlf, t.out.always, t.out.never = crlf, always, never
	t.noHeaders = true
	in, err := t.open(args, 0)
	if err != nil {
		return err
	}
	return t.each(in, t.out.row)
}

func xanFrom(t *xanCall) error {
	var format string
	t.String(&format, "f,format", "the `FORMAT` of the file: json, ndjson (jsonl), tsv or txt")
	args, err := t.operands(0, 1)
	if err != nil {
		return err
	}
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	if format == "" {
		format = name[strings.LastIndexByte(name, '.')+1:]
	}
	switch format {
	case "tsv":
		t.delimiter, t.noHeaders = '\t', true
		in, err := t.openFile(name)
		if err != nil {
			return err
		}
		return t.each(in, t.out.row)
	case "json", "ndjson", "jsonl", "txt", "text", "lines":
		return t.EachInput([]string{name}, func(_ string, r io.Reader) error {
			if format[0] == 'j' || format[0] == 'n' {
				return t.fromJSON(r)
			}
			return t.fromText(r)
		})
	case "-", "":
		return t.Flags.Fail(builtins.Usage("the format of standard input must be given with -f"))
	}
	return fmt.Errorf("could not find a parser for format %s", builtins.QuoteLocale(format))
}

// fromText makes each line a row.
func (t *xanCall) fromText(r io.Reader) error {
	if err := t.out.row([]string{"value"}); err != nil {
		return err
	}
	lines := t.Lines(r, '\n')
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ = builtins.TrimDelim(line, '\n')
		if err := t.out.row([]string{string(bytes.TrimSuffix(line, []byte("\r")))}); err != nil {
			return err
		}
	}
}

// A jsonTable collects objects to rows.
type jsonTable struct {
	*xanCall
	header []string
	index  map[string]int
	rows   [][]string
}

// fromJSON makes each object a row: those of an array, or one after the other.
func (t *xanCall) fromJSON(r io.Reader) error {
	j := &jsonTable{xanCall: t, index: map[string]int{}}
	d := json.NewDecoder(r)
	d.UseNumber()
	for {
		var raw json.RawMessage
		start, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch start {
		case json.Delim('['):
			for d.More() {
				if err := d.Decode(&raw); err != nil {
					return err
				}
				if err := j.add(raw); err != nil {
					return err
				}
			}
			if _, err := d.Token(); err != nil {
				return err
			}
		case json.Delim('{'):
			if err := j.object(d); err != nil {
				return err
			}
		default:
			return errors.New("JSON that is neither an array nor an object has no rows")
		}
	}
	if err := t.out.row(j.header); err != nil {
		return err
	}
	for _, row := range j.rows {
		if err := t.out.row(lengthened(row, len(j.header))); err != nil {
			return err
		}
	}
	return nil
}

// add adds one value of an array.
func (j *jsonTable) add(raw json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	start, err := d.Token()
	if err != nil {
		return err
	}
	if start == json.Delim('{') {
		return j.object(d)
	}
	return j.put(new([]string), "value", raw, true)
}

// object adds the object whose brace d has just read.
func (j *jsonTable) object(d *json.Decoder) error {
	var row []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if err := j.put(&row, name.(string), raw, false); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	j.rows = append(j.rows, row)
	return nil
}

// put sets a field of a row; last says that it is the only one.
func (j *jsonTable) put(row *[]string, name string, raw json.RawMessage, last bool) error {
	if err := j.Poll(1); err != nil {
		return err
	}
	if err := j.grow(len(raw) + 48); err != nil {
		return err
	}
	i, ok := j.index[name]
	if !ok {
		i = len(j.header)
		j.index[name], j.header = i, append(j.header, name)
	}
	for len(*row) <= i {
		*row = append(*row, "")
	}
	text := string(raw)
	switch {
	case text == "null":
		text = ""
	case text[0] == '"':
		_ = json.Unmarshal(raw, &text)
	}
	(*row)[i] = text
	if last {
		j.rows = append(j.rows, *row)
	}
	return nil
}

func xanTo(t *xanCall) error {
	var texts bool
	t.Bool(&texts, "strings", "JSON has strings only, and no numbers")
	args, err := t.operands(1, 1)
	if err != nil {
		return err
	}
	in, err := t.open(args, 1)
	if err != nil {
		return err
	}
	switch args[0] {
	case "json":
		return t.toJSON(in, texts)
	case "ndjson", "jsonl":
		return t.each(in, func(row []string) error { return t.out.text(object(in.header, row, texts, ":", ",", "{", "}") + "\n") })
	case "md", "markdown":
		return t.toMarkdown(in)
	case "tsv":
		t.out.delimiter = '\t'
		if err := t.headerOut(in.header); err != nil {
			return err
		}
		return t.each(in, t.out.row)
	case "txt", "text":
		return t.each(in, func(row []string) error { return t.out.text(strings.Join(row, "\n") + "\n") })
	case "html":
		return t.toHTML(in)
	}
	in.close()
	return fmt.Errorf("could not export to format %s: there are json, ndjson, md, tsv, txt and html", builtins.QuoteLocale(args[0]))
}

func (t *xanCall) toJSON(in *csvReader, texts bool) error {
	before := "[\n"
	err := t.each(in, func(row []string) error {
		text := before + "  " + object(in.header, row, texts, ": ", ",\n    ", "{\n    ", "\n  }")
		before = ",\n"
		return t.out.text(text)
	})
	switch {
	case err != nil:
		return err
	case before == "[\n":
		return t.out.text("[]\n")
	}
	return t.out.text("\n]\n")
}

// object returns a row as JSON.
func object(header, row []string, texts bool, colon, comma, open, end string) string {
	var b strings.Builder
	b.WriteString(open)
	for i, name := range header {
		if i > 0 {
			b.WriteString(comma)
		}
		b.WriteString(jsonText(name) + colon + jsonField(row[i], texts))
	}
	b.WriteString(end)
	return b.String()
}

func jsonText(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

// jsonField returns a field as JSON: a number or null where it is one, unless texts
// is set.
func jsonField(s string, texts bool) string {
	switch {
	case texts:
	case s == "":
		return "null"
	case json.Valid([]byte(s)) && (s[0] == '-' || s[0] >= '0' && s[0] <= '9'):
		return s
	}
	return jsonText(s)
}

func (t *xanCall) toMarkdown(in *csvReader) error {
	line := func(row []string) error {
		text := "|"
		for _, s := range row {
			text += " " + strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) + " |"
		}
		return t.out.text(text + "\n")
	}
	if err := line(in.header); err != nil {
		return err
	}
	if err := t.out.text("|" + strings.Repeat(" --- |", len(in.header)) + "\n"); err != nil {
		return err
	}
	return t.each(in, line)
}

func (t *xanCall) toHTML(in *csvReader) error {
	line := func(tag string, row []string) error {
		text := "    <tr>\n"
		for _, s := range row {
			text += "      <" + tag + ">" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s) + "</" + tag + ">\n"
		}
		return t.out.text(text + "    </tr>\n")
	}
	err := t.out.text("<table>\n  <thead>\n")
	if err == nil {
		err = line("th", in.header)
	}
	if err == nil {
		err = t.out.text("  </thead>\n  <tbody>\n")
	}
	if err == nil {
		err = t.each(in, func(row []string) error { return line("td", row) })
	}
	if err != nil {
		return err
	}
	return t.out.text("  </tbody>\n</table>\n")
}

func xanFlatten(t *xanCall) error {
	in, err := t.input()
	if err != nil {
		return err
	}
	width := 0
	for _, h := range in.header {
		width = max(width, columnsOf(h))
	}
	n := 0
	return t.each(in, func(row []string) error {
		text := ""
		if n > 0 {
			text = "\n"
		}
		text += "Row n°" + strconv.Itoa(n) + "\n"
		for i, h := range in.header {
			text += padded(h, width) + " " + row[i] + "\n"
		}
		n++
		return t.out.text(text)
	})
}
