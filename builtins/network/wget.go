package network

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var wgetCommand = commands.Add(&builtins.Command{
	Name:     "wget",
	Synopsis: "[OPTION]... [URL]...",
	Summary:  "retrieve files by HTTP or HTTPS",
	Trouble:  2,
	Run:      runWget,
})

// Statuses of wget.
const (
	wgetGeneric  builtins.Exit = 1
	wgetUsage    builtins.Exit = 2
	wgetFile     builtins.Exit = 3
	wgetNetwork  builtins.Exit = 4
	wgetSSL      builtins.Exit = 5
	wgetAuth     builtins.Exit = 6
	wgetResponse builtins.Exit = 8
)

// A wget is one run of the command.
type wget struct {
	*builtins.Call
	log io.Writer

	quiet, brief                  bool
	output, prefix, logFile       string
	resume, newer, noClobber      bool
	spider, serverHead            bool
	disposition, contentOnError   bool
	headers                       []string
	userAgent, referer            string
	user, password                string
	method, body                  string
	hasBody                       bool
	input                         string
	tries                         int
	maxRedirect                   int64
	timeout, connectTimeout, wait time.Duration
	retryRefused                  bool

	document io.WriteCloser // of -O
	status   builtins.Exit
	bytes    int64
}

func runWget(ctx context.Context, c *builtins.Call) error {
	w := &wget{Call: c, log: c.Stderr, userAgent: "Wget/1.21.3", tries: 20, maxRedirect: 20, timeout: 900 * time.Second}
	urls, err := w.parse(ctx)
	if err != nil {
		return err
	}
	if w.logFile != "" {
		f, err := c.FS.OpenFile(w.logFile, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			fmt.Fprintf(c.Stderr, "%s: %v\n", w.logFile, vfs.ErrnoOf(err))
			return wgetGeneric
		}
		defer f.Close()
		w.log = f
	}
	if w.quiet {
		w.log = io.Discard
	}
	if err := w.openDocument(); err != nil {
		return err
	}
	for i, u := range urls {
		if i > 0 && w.wait > 0 {
			if err := c.Clock.Sleep(ctx, w.wait); err != nil {
				return err
			}
		}
		if err := w.retrieve(ctx, u); err != nil {
			return err
		}
	}
	if w.document != nil && w.document != io.WriteCloser(nil) && w.output != "-" {
		if err := w.document.Close(); err != nil {
			return wgetFile
		}
	}
	return w.status
}

// parse reads the arguments and the file of -i.
func (w *wget) parse(ctx context.Context) ([]string, error) {
	c := w.Call
	f := c.Flags()
	f.Hint = "Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n"
	refuse := func(names, value, why string) {
		err := fmt.Errorf("option --%s is refused: %s", names[strings.LastIndexByte(names, ',')+1:], why)
		if value == "" {
			f.Do(names, "refused: "+why, func() error { return err })
			return
		}
		f.Func(names, "refused: "+why+" `"+value+"`", func(string) error { return err })
	}
	f.Bool(&w.quiet, "q,quiet", "print nothing")
	f.Do("v,verbose", "print all, as it does", func() error { w.quiet, w.brief = false, false; return nil })
	f.Func("n", "nv, nc: see --no-verbose and --no-clobber `LETTERS`", w.setN)
	f.Bool(&w.brief, "no-verbose", "print little")
	f.String(&w.output, "O,output-document", "write all to one `FILE`")
	f.String(&w.prefix, "P,directory-prefix", "save files in a directory `PREFIX`")
	f.String(&w.logFile, "o,output-file", "write messages to a `FILE`")
	f.Bool(&w.resume, "c,continue", "go on with a file that is partly there")
	f.Bool(&w.newer, "N,timestamping", "do not retrieve what is not newer")
	f.Bool(&w.noClobber, "no-clobber", "do not retrieve what is there")
	f.Bool(&w.spider, "spider", "only look whether it is there")
	f.Bool(&w.serverHead, "S,server-response", "print the headers of the server")
	f.Bool(&w.disposition, "content-disposition", "use the name that the server says")
	f.Bool(&w.contentOnError, "content-on-error", "save the body of errors")
	f.Func("header", "send a header: `STRING`", w.addHeader)
	f.Func("U,user-agent", "send this User-Agent: `AGENT`", oneLine("--user-agent", &w.userAgent))
	f.Func("referer", "send this Referer: `URL`", oneLine("--referer", &w.referer))
	f.String(&w.user, "user,http-user", "send this `USER`")
	f.String(&w.password, "password,http-password", "send this password `PASS`")
	f.Func("method", "use this `METHOD`", func(s string) error {
		w.method = s
		if !validName(s) {
			return fmt.Errorf("--method: Invalid value %s.", builtins.QuoteLocale(s))
		}
		return nil
	})
	body := func(method string) func(string) error {
		return func(s string) error {
			w.body, w.hasBody = s, true
			if method != "" {
				w.method = method
			}
			return nil
		}
	}
	file := func(method string) func(string) error {
		return func(name string) error {
			data, err := vfs.ReadFile(c.FS, name)
			if err != nil {
				return fmt.Errorf("cannot read %s: %w", name, vfs.ErrnoOf(err))
			}
			if err := c.Alloc(len(data)); err != nil {
				return err
			}
			return body(method)(string(data))
		}
	}
	f.Func("post-data", "POST this `STRING`", body("POST"))
	f.Func("post-file", "POST the content of a `FILE`", file("POST"))
	f.Func("body-data", "send this `STRING` with --method", body(""))
	f.Func("body-file", "send the content of a `FILE` with --method", file(""))
	f.String(&w.input, "i,input-file", "retrieve the URLs in a `FILE`")
	f.Func("t,tries", "try this `NUMBER` of times; 0 is no bound", func(s string) error {
		n, err := strconv.Atoi(s)
		if s == "inf" {
			n, err = 0, nil
		}
		if err != nil || n < 0 {
			return fmt.Errorf("--tries: Invalid number %s.", builtins.QuoteLocale(s))
		}
		w.tries = n
		return nil
	})
	f.Int(&w.maxRedirect, "max-redirect", "number", "follow at most this `NUMBER` of redirects")
	duration := func(p ...*time.Duration) func(string) error {
		return func(s string) error {
			n, err := strconv.ParseFloat(s, 64)
			if err != nil || n < 0 || n > 1e9 {
				return fmt.Errorf("--timeout: Invalid time period %s", builtins.QuoteLocale(s))
			}
			for _, d := range p {
				*d = time.Duration(n * float64(time.Second))
			}
			return nil
		}
	}
	f.Func("T,timeout", "longest `SECONDS` of silence and for a connection", duration(&w.timeout, &w.connectTimeout))
	f.Func("read-timeout", "longest `SECONDS` of silence", duration(&w.timeout))
	f.Func("connect-timeout,dns-timeout", "longest `SECONDS` for a connection", duration(&w.connectTimeout))
	f.Func("w,wait", "wait `SECONDS` between files", duration(&w.wait))
	f.Bool(&w.retryRefused, "retry-connrefused", "try again after a refused connection")
	refuse("r,recursive", "", "retrieve the pages one by one")
	refuse("m,mirror", "", "retrieve the pages one by one")
	refuse("p,page-requisites", "", "retrieve the pages one by one")
	refuse("b,background", "", "use &")
	refuse("no-check-certificate", "", noVerify)
	refuse("e,execute", "COMMAND", "there is no .wgetrc")
	urls, err := f.Parse()
	if err != nil {
		return nil, err
	}
	if w.input != "" {
		more, err := w.readURLs(ctx)
		if err != nil {
			return nil, err
		}
		return append(urls, more...), nil
	}
	if len(urls) == 0 {
		fmt.Fprintf(c.Stderr, "wget: missing URL\n%s", f.Hint)
		return nil, wgetGeneric
	}
	return urls, nil
}

// setN sets what -nv and -nc do.
func (w *wget) setN(letters string) error {
	for _, l := range letters {
		switch l {
		case 'v':
			w.brief = true
		case 'c':
			w.noClobber = true
		case 'd', 'H': // directories are made by -r alone
		default:
			return builtins.Usage("invalid option -- 'n%c'", l)
		}
	}
	return nil
}

// readURLs reads the file of -i.
func (w *wget) readURLs(context.Context) ([]string, error) {
	var urls []string
	err := w.EachInput([]string{w.input}, func(_ string, r io.Reader) error {
		lines := w.Lines(r, '\n')
		defer lines.Close()
		for {
			line, err := lines.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if text := strings.TrimSpace(string(line)); text != "" && text[0] != '#' {
				urls = append(urls, text)
			}
		}
	})
	if err == nil && len(urls) == 0 {
		fmt.Fprintf(w.Stderr, "No URLs found in %s.\n", w.input)
	}
	return urls, err
}

// openDocument opens the file of -O.
func (w *wget) openDocument() error {
	switch {
	case w.output == "" || w.spider:
	case w.output == "-":
		w.document = nopCloser{w.Stdout}
	default:
		flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
		if w.resume {
			flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
		}
		f, err := w.FS.OpenFile(w.output, flag, 0o666)
		if err != nil {
			fmt.Fprintf(w.Stderr, "%s: %v\n", w.output, vfs.ErrnoOf(err))
			return wgetGeneric
		}
		w.document = f
	}
	return nil
}

type nopCloser struct{ io.Writer }

// Close does nothing.
func (nopCloser) Close() error { return nil }

// addHeader adds a header, or forgets those before where it is empty.
func (w *wget) addHeader(s string) error {
	if s == "" {
		w.headers = nil
		return nil
	}
	name, _, ok := strings.Cut(s, ":")
	if !ok || !validName(name) || strings.ContainsAny(s, "\r\n\x00") {
		return fmt.Errorf("--header: Invalid header %s.", builtins.QuoteLocale(s))
	}
	w.headers = append(w.headers, s)
	return nil
}

// oneLine returns the function of an option whose value goes into a header.
func oneLine(option string, to *string) func(string) error {
	return func(s string) error {
		*to = s
		if strings.ContainsAny(s, "\r\n\x00") {
			return fmt.Errorf("%s: Invalid value %s.", option, builtins.QuoteLocale(s))
		}
		return nil
	}
}
