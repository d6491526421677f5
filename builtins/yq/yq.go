// Package yq has the command yq.
package yq

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/yq"
)

var commands builtins.Set

// Commands returns the commands of this package.
func Commands() []*builtins.Command { return commands.Commands() }

var _ = commands.Add(&builtins.Command{
	Name:     "yq",
	Synopsis: "[eval | eval-all] [OPTION...] [EXPRESSION] [FILE...]",
	Summary:  "query and change YAML, JSON, TOML, XML, CSV, TSV, INI files and properties",
	Run:      run,
})

// A job is one run of the command.
type job struct {
	*builtins.Call
	m       *yq.Machine
	options yq.Options
	encode  yq.EncodeOptions

	all                       bool // eval-all
	inPlace, null, exitStatus bool
	pretty, json, nul         bool
	header                    bool
	anyPath                   bool
	unwrap                    *bool // if it was said
	indent                    int
	input, output             string
	front                     string
	source, sourceFile        string
	split, splitFile          string

	expr    *yq.Expr
	files   []string
	from    yq.Format
	printer printer
}

func run(ctx context.Context, c *builtins.Call) error {
	j := &job{Call: c, indent: 2, input: "auto", output: "auto", header: true}
	args := c.Args
	if len(args) > 0 {
		switch args[0] {
		case "eval", "e":
			args = args[1:]
		case "eval-all", "ea":
			j.all, args = true, args[1:]
		}
	}
	operands, err := j.parse(spell(args))
	if err != nil {
		return err
	}
	err = j.run(operands)
	if err == nil || c.Ends(err) {
		return err
	}
	fmt.Fprintf(c.Stderr, "Error: %v\n", err)
	return builtins.Exit(1)
}

// spell puts -o=x into the form -ox, and -r=x into --unwrapScalar=x, as the
// options are declared.
func spell(args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 3 && a[0] == '-' && a[1] != '-' && a[2] == '=' {
			if a[1] == 'r' {
				a = "--unwrapScalar" + a[2:]
			} else {
				a = a[:2] + a[3:]
			}
		}
		out = append(out, a)
	}
	return out
}

// truth declares a switch that may have a value.
func truth(f *builtins.Flags, names, help string, set func(bool)) {
	f.Optional(names, help+" `[true|false]`", func(s string, ok bool) error {
		switch {
		case !ok, s == "true", s == "1", s == "t":
			set(true)
		case s == "false", s == "0", s == "f":
			set(false)
		default:
			return fmt.Errorf("invalid argument %q for %q flag: strconv.ParseBool: parsing %q: invalid syntax", s, "--"+names[strings.IndexByte(names, ',')+1:], s)
		}
		return nil
	})
}

// parse parses the options.
func (j *job) parse(args []string) ([]string, error) {
	j.Args = args
	f := j.Flags()
	f.Info("h", "")
	f.Do("V,version", "print the version", f.Version)
	f.Bool(&j.inPlace, "i,inplace", "write to the first file, and not to standard output")
	f.Bool(&j.null, "n,null-input", "read nothing: the expression makes the document")
	f.Bool(&j.exitStatus, "e,exit-status", "fail if there is no result, or only null and false")
	f.String(&j.input, "p,input-format", "the `FORMAT` of the files: yaml, json, toml, xml, props, csv, tsv, ini, base64, uri")
	f.String(&j.output, "o,output-format", "the `FORMAT` of the results: those of -p, and shell")
	f.Bool(&j.json, "j,tojson", "print JSON")
	f.Func("I,indent", "indent by `N` spaces", j.setIndent)
	f.Bool(&j.pretty, "P,prettyPrint", "show everything in the plain style")
	f.Do("r", "print scalars as they are", func() error { j.unwrap = new(true); return nil })
	truth(f, "unwrapScalar", "print scalars as they are", func(b bool) { j.unwrap = &b })
	f.Bool(&j.encode.NoSeparator, "N,no-doc", "print no lines between documents")
	f.Bool(&j.nul, "0,nul-output", "end results with NUL")
	f.Do("M,no-colors", "print without colors, as always", func() error { return nil })
	f.Bool(&j.encode.CompactList, "c,yaml-compact-seq-indent", "count the dash of a list as indentation")
	f.String(&j.source, "expression", "the `EXPRESSION`, if it looks like a file")
	f.String(&j.sourceFile, "from-file", "read the expression from a `FILE`")
	f.String(&j.split, "s,split-exp", "write each result to the file that `EXPRESSION` names")
	f.String(&j.splitFile, "split-exp-file", "read the expression for --split-exp from a `FILE`")
	f.String(&j.front, "f,front-matter", "work on the front matter of the first file: `extract|process` it")
	truth(f, "header-preprocess", "keep comments before the first document", func(b bool) { j.header = b })
	truth(f, "string-interpolation", "replace \\(…) in strings", func(b bool) { j.options.NoInterpolate = !b })
	f.Bool(&j.options.MergeToSpec, "yaml-fix-merge-anchor-to-spec", "let the keys of a map win over merged ones")
	f.Func("csv-separator", "the `CHAR` between the fields of CSV", j.setSeparator)
	truth(f, "csv-auto-parse", "read numbers and booleans in CSV", func(b bool) { j.options.NoAutoParse = !b })
	truth(f, "tsv-auto-parse", "read numbers and booleans in TSV", func(b bool) { j.options.NoAutoParse = !b })
	f.Bool(&j.options.Props.Brackets, "properties-array-brackets", "write indices of properties as [N]")
	f.String(&j.options.Props.Separator, "properties-separator", "the `TEXT` between key and value of properties")
	f.String(&j.options.ShellSeparator, "shell-key-separator", "the `TEXT` between the parts of the names of shell variables")
	f.Bool(&j.anyPath, "security-allow-write-any-path", "let --split-exp write outside of the directory")
	f.Bool(&j.options.NoEnv, "security-disable-env-ops", "refuse env and envsubst")
	f.Bool(&j.options.NoFiles, "security-disable-file-ops", "refuse load")
	x := &j.options.XML
	f.String(&x.Attribute, "xml-attribute-prefix", "the `PREFIX` of attributes")
	f.String(&x.Content, "xml-content-name", "the `NAME` of the text of an element")
	f.String(&x.Directive, "xml-directive-name", "the `NAME` of directives")
	f.String(&x.ProcInst, "xml-proc-inst-prefix", "the `PREFIX` of processing instructions")
	truth(f, "xml-keep-namespace", "keep name spaces", func(b bool) { x.NoNamespace = !b })
	truth(f, "xml-raw-token", "do not translate name spaces", func(b bool) { x.Cooked = !b })
	f.Bool(&x.SkipDirectives, "xml-skip-directives", "leave out directives")
	f.Bool(&x.SkipProcInst, "xml-skip-proc-inst", "leave out processing instructions")
	f.Bool(&x.Strict, "xml-strict-mode", "be strict about XML")
	return f.Parse()
}

func (j *job) setIndent(s string) error {
	if _, err := fmt.Sscanf(s, "%d", &j.indent); err != nil {
		return fmt.Errorf("invalid argument %q for \"-I, --indent\" flag: strconv.ParseInt: parsing %q: invalid syntax", s, s)
	}
	return nil
}

func (j *job) setSeparator(s string) error {
	runes := []rune(s)
	if len(runes) != 1 {
		return fmt.Errorf("[%s] is not a valid value for this flag", s)
	}
	j.options.CSVSeparator = runes[0]
	return nil
}

// run does the work.
func (j *job) run(operands []string) error {
	j.m = yq.NewMachine(j.Call, j.options)
	defer j.m.Close()
	if err := j.arrange(operands); err != nil {
		return err
	}
	if err := j.validate(); err != nil {
		return err
	}
	if err := j.formats(); err != nil {
		return err
	}
	if len(j.files) == 0 && !j.null {
		f := j.Flags()
		return f.Help()
	}
	source := j.source
	switch {
	case j.pretty && source == "":
		source = prettyExpr
	case j.pretty:
		source += " | " + prettyExpr
	}
	var err error
	if j.expr, err = j.m.Parse(source); err != nil {
		return err
	}
	return j.print()
}

// prettyExpr takes the style of all nodes but strings that could be taken for
// something else.
const prettyExpr = `(... | (select(tag != "!!str"), select(tag == "!!str") | select(test("(?i)^(y|yes|n|no|on|off)$") | not))  ) style=""`

// arrange finds out which operand is the expression, and what is read.
func (j *job) arrange(operands []string) error {
	if !j.null && j.piped() && len(operands) < 2 && !(len(operands) == 1 && (operands[0] == "-" || j.isFile(operands[0]))) {
		operands = append(operands, "-")
	}
	if j.sourceFile == "" && len(operands) > 0 && strings.HasSuffix(operands[0], ".yq") && j.isFile(operands[0]) {
		j.sourceFile, operands = operands[0], operands[1:]
	}
	for _, f := range []struct {
		name string
		to   *string
	}{{j.sourceFile, &j.source}, {j.splitFile, &j.split}} {
		if f.name == "" {
			continue
		}
		text, err := j.readFile(f.name)
		if err != nil {
			return err
		}
		*f.to = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if j.source == "" && len(operands) > 0 && operands[0] != "-" && !j.isFile(operands[0]) {
		j.source, operands = operands[0], operands[1:]
	}
	j.files = operands
	return nil
}

func (j *job) readFile(name string) (string, error) {
	r, err := j.Open(name)
	if err != nil {
		return "", yq.OpenError(name, err)
	}
	defer r.Close()
	var b strings.Builder
	for lines := j.Lines(r, '\n'); ; {
		line, err := lines.Next()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		if err := j.Alloc(len(line)); err != nil {
			return "", err
		}
		b.Write(line)
	}
}

func (j *job) isFile(name string) bool {
	info, err := j.FS.Stat(name)
	return err == nil && !info.IsDir()
}

// piped reports whether standard input is no terminal or other device.
func (j *job) piped() bool {
	if f, ok := j.Stdin.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil {
			return info.Mode()&fs.ModeCharDevice == 0
		}
	}
	return !builtins.Interactive(j.Stdin)
}

func (j *job) validate() error {
	switch {
	case j.inPlace && (len(j.files) == 0 || j.files[0] == "-"):
		return errors.New("write in place flag only applicable when giving an expression and at least one file")
	case j.front != "" && len(j.files) == 0:
		return errors.New("front matter flag only applicable when giving an expression and at least one file")
	case j.inPlace && j.split != "":
		return errors.New("write in place cannot be used with split file")
	case j.null && len(j.files) > 0:
		return errors.New("cannot pass files in when using null-input flag")
	case j.indent < 0:
		return errors.New("indent must not be negative")
	}
	return nil
}

// formats settles the formats of input and output.
func (j *job) formats() (err error) {
	name := ""
	if len(j.files) > 0 {
		name = j.files[0]
	}
	if j.json {
		j.output = "json"
	}
	automatic := func(s string) bool { return s == "" || s == "auto" || s == "a" }
	var out yq.Format
	if automatic(j.input) {
		j.from = yq.FormatOf(name)
		out = j.from
	} else if j.from, err = yq.ParseFormat(j.input); err != nil {
		return err
	}
	if !automatic(j.output) {
		if out, err = yq.ParseFormat(j.output); err != nil {
			return err
		}
	}
	j.encode.Unwrap = out == yq.YAML || out == yq.Props
	if j.unwrap != nil {
		j.encode.Unwrap = *j.unwrap
	}
	j.encode.Indent = j.indent
	j.printer = printer{job: j, enc: j.m.NewEncoder(out, j.encode), extension: extension(out)}
	return nil
}

// extension returns what the names of split files end in.
func extension(f yq.Format) string {
	switch f {
	case yq.JSON:
		return "json"
	case yq.Props:
		return "properties"
	}
	return "yml"
}

// print evaluates the expression and prints the results where they belong.
func (j *job) print() error {
	out := j.Stdout
	var place *replacement
	if j.inPlace {
		var err error
		if place, err = j.replace(j.files[0]); err != nil {
			return err
		}
		defer place.discard()
		out = place.file
	}
	w := bufio.NewWriterSize(out, 32<<10)
	j.printer.out = w
	if j.split != "" {
		var err error
		if j.printer.name, err = j.m.Parse(j.split); err != nil {
			return fmt.Errorf("bad split document expression: %w", err)
		}
	}
	err := j.evaluate()
	if flush := w.Flush(); flush != nil && err == nil {
		return flush
	}
	if err != nil {
		return err
	}
	if place != nil {
		if err := place.finish(); err != nil {
			return err
		}
	}
	if j.exitStatus && !j.printer.matched {
		return errors.New("no matches found")
	}
	return nil
}
