//go:build !slim

package data

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
	"golang.org/x/net/html"
)

var _ = commands.Add(&builtins.Command{
	Name:     "html2markdown",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "convert HTML to Markdown",
	Run:      runHTML2Markdown,
})

// htmlSize is about how much memory a byte of HTML takes once it is parsed and
// rendered.
const htmlSize = 40

// A stopped is why a conversion ends early.
type stopped struct{ err error }

func runHTML2Markdown(ctx context.Context, c *builtins.Call) error {
	var domain, strong, input, output string
	var overwrite bool
	f := c.Flags()
	f.Info("h", "v")
	f.String(&input, "input", "read this `FILE`")
	f.String(&output, "output", "write to this `FILE`")
	f.Bool(&overwrite, "output-overwrite", "replace the file of --output where there is one")
	f.String(&domain, "domain", "the `URL` that relative links are based on")
	f.String(&strong, "opt-strong-delimiter", "what stands around bold text: `** or __`")
	f.Do("plugin-strikethrough", "keep text that is struck through, as always", func() error { return nil })
	f.Do("plugin-table", "keep tables, as always", func() error { return nil })
	files, err := f.Parse()
	if err != nil {
		return err
	}
	if input != "" {
		files = append([]string{input}, files...)
	}
	plugins := []converter.Plugin{
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), strikethrough.NewStrikethroughPlugin(), table.NewTablePlugin(),
	}
	switch strong {
	case "":
	case "**", "__":
		plugins[1] = commonmark.NewCommonmarkPlugin(commonmark.WithStrongDelimiter(strong))
	default:
		return f.Fail(fmt.Errorf("invalid value for --opt-strong-delimiter: %q must be ** or __", strong))
	}
	out, closeOutput, err := outputFile(c, output, overwrite)
	if err != nil {
		return err
	}
	err = c.EachInput(files, func(_ string, r io.Reader) error {
		text, err := markdown(ctx, c, r, domain, plugins)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, text)
		return err
	})
	if end := closeOutput(); err == nil {
		err = end
	}
	return err
}

// outputFile opens the file that is written to; standard output if it has no name.
func outputFile(c *builtins.Call, name string, overwrite bool) (io.Writer, func() error, error) {
	if name == "" {
		return c.Stdout, func() error { return nil }, nil
	}
	flags := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	if !overwrite {
		flags |= vfs.O_EXCL
	}
	f, err := c.FS.OpenFile(name, flags, 0o666)
	if err != nil {
		return nil, nil, builtins.FileError(name, err)
	}
	w := bufio.NewWriter(f)
	return w, func() error { return errors.Join(w.Flush(), f.Close()) }, nil
}

// markdown converts one document.
func markdown(ctx context.Context, c *builtins.Call, r io.Reader, domain string, plugins []converter.Plugin) (text string, err error) {
	in := &charged{call: c, r: r}
	defer in.release()
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stopped:
			err = e.err
		default:
			panic(e)
		}
	}()
	conv := converter.NewConverter(converter.WithPlugins(plugins...))
	conv.Register.Renderer(func(converter.Context, converter.Writer, *html.Node) converter.RenderStatus {
		if err := c.Poll(8); err != nil {
			panic(stopped{err})
		}
		return converter.RenderTryNext
	}, converter.PriorityEarly)
	b, err := conv.ConvertReader(in, converter.WithContext(ctx), converter.WithDomain(domain))
	if in.err != nil {
		return "", in.err
	}
	return string(b), err
}

// A charged reader charges the memory that is made of what it reads.
type charged struct {
	call *builtins.Call
	r    io.Reader
	held int
	err  error // why the call must end
}

// Read reads as the input does.
func (r *charged) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if r.err = r.call.Poll(1 + n/16); r.err == nil {
		r.err = r.call.Alloc(n * htmlSize)
	}
	if r.err != nil {
		return 0, r.err
	}
	r.held += n * htmlSize
	return n, err
}

func (r *charged) release() { r.call.Free(r.held) }
