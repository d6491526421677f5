package file

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "dd",
	Synopsis: "[OPERAND]...",
	Summary:  "convert and copy a file",
	Run:      runDd,
})

// ddOptions are the operands of dd.
type ddOptions struct {
	input, output  *string // if=, of=
	ibs, obs, cbs  int64
	bs             bool // bs= was given: blocks are copied one by one
	count          int64
	skip, seek     int64
	countIsBytes   bool
	skipIsBytes    bool
	seekIsBytes    bool
	counted        bool
	conv           map[string]bool
	iflags, oflags map[string]bool
	status         string
}

// The words of conv=, of the flags and of status=.
var (
	ddConversions = []string{"ascii", "ebcdic", "ibm", "block", "unblock", "lcase", "ucase", "sparse", "swab", "sync",
		"excl", "nocreat", "notrunc", "noerror", "fdatasync", "fsync"}
	ddInputFlags  = []string{"directory", "fullblock", "nofollow", "count_bytes", "skip_bytes"}
	ddOutputFlags = []string{"append", "directory", "nofollow", "seek_bytes"}
	// ddHints change how the host would do its work, and not what comes of it.
	ddHints  = []string{"direct", "dsync", "sync", "nonblock", "noatime", "nocache", "noctty"}
	ddStatus = []string{"none", "noxfer", "progress"}
)

func runDd(_ context.Context, c *builtins.Call) error {
	f := c.Flags()
	operands, err := f.Parse()
	if err != nil {
		return err
	}
	o := &ddOptions{ibs: 512, obs: 512, conv: map[string]bool{}, iflags: map[string]bool{}, oflags: map[string]bool{}}
	for _, operand := range operands {
		if err := o.set(operand); err != nil {
			return f.Fail(err)
		}
	}
	if err := o.check(); err != nil {
		return err
	}
	d := &ddCopier{c: c, ddOptions: o, start: c.Clock.Now()}
	defer d.close()
	return d.run()
}

func (o *ddOptions) set(operand string) error {
	name, value, ok := strings.Cut(operand, "=")
	if !ok {
		return builtins.Usage("unrecognized operand %s", builtins.QuoteLocale(operand))
	}
	switch name {
	case "if":
		o.input = &value
		return nil
	case "of":
		o.output = &value
		return nil
	case "conv":
		return setWords(o.conv, value, "conversion", ddConversions)
	case "iflag":
		return setWords(o.iflags, value, "input flag", slices.Concat(ddInputFlags, ddHints))
	case "oflag":
		return setWords(o.oflags, value, "output flag", slices.Concat(ddOutputFlags, ddHints))
	case "status":
		if !slices.Contains(ddStatus, value) {
			return builtins.Usage("invalid status level: %s", builtins.QuoteLocale(value))
		}
		o.status = value
		return nil
	}
	return o.setNumber(operand, name, value)
}

func (o *ddOptions) setNumber(operand, name, value string) error {
	least, most := int64(1), int64(1)<<30
	switch name {
	case "bs", "ibs", "obs", "cbs":
	case "count", "skip", "seek", "iseek", "oseek":
		least, most = 0, math.MaxInt64
	default:
		return builtins.Usage("unrecognized operand %s", builtins.QuoteLocale(operand))
	}
	n, err := parseFactors(value)
	switch {
	case err == errTooLarge || err == nil && n > most:
		return fmt.Errorf("invalid number: %s: Value too large for defined data type", builtins.QuoteLocale(value))
	case err != nil || n < least:
		return fmt.Errorf("invalid number: %s", builtins.QuoteLocale(value))
	}
	inBytes := strings.HasSuffix(value, "B") && strings.Trim(value[len(value)-2:], "0123456789B") == ""
	switch name {
	case "bs":
		o.ibs, o.obs, o.bs = n, n, true
	case "ibs":
		if !o.bs {
			o.ibs = n
		}
	case "obs":
		if !o.bs {
			o.obs = n
		}
	case "cbs":
		o.cbs = n
	case "count":
		o.count, o.counted, o.countIsBytes = n, true, inBytes
	case "skip", "iseek":
		o.skip, o.skipIsBytes = n, inBytes
	case "seek", "oseek":
		o.seek, o.seekIsBytes = n, inBytes
	}
	return nil
}

// parseFactors parses a number with its unit, or several joined by x.
func parseFactors(s string) (int64, error) {
	product := int64(1)
	for factor := range strings.SplitSeq(s, "x") {
		if factor == "" || factor[0] == '+' || factor[0] == ' ' {
			return 0, errBadNumber
		}
		text := factor
		if len(factor) > 1 && strings.HasSuffix(factor, "B") && factor[len(factor)-2] >= '0' && factor[len(factor)-2] <= '9' {
			text = factor[:len(factor)-1]
		}
		n, err := parseSize(text, "bcEGkKMPTwYZ0")
		switch {
		case err != nil:
			return 0, err
		case n != 0 && product > math.MaxInt64/n:
			return 0, errTooLarge
		}
		product *= n
	}
	return product, nil
}

func setWords(set map[string]bool, list, what string, known []string) error {
	for word := range strings.SplitSeq(list, ",") {
		if !slices.Contains(known, word) {
			return builtins.Usage("invalid %s: %s", what, builtins.QuoteLocale(word))
		}
		set[word] = true
	}
	return nil
}

// check completes the operands, and fails where they contradict each other.
func (o *ddOptions) check() error {
	if o.conv["ascii"] {
		o.conv["unblock"] = true
	}
	if o.conv["ebcdic"] || o.conv["ibm"] {
		o.conv["block"] = true
	}
	if o.cbs == 0 {
		delete(o.conv, "block")
		delete(o.conv, "unblock")
	}
	if len(o.conv) > 0 && o.converts() {
		o.bs = false
	}
	for _, pair := range [][]string{{"ascii", "ebcdic", "ibm"}, {"block", "unblock"}, {"lcase", "ucase"}, {"excl", "nocreat"}} {
		n := 0
		for _, word := range pair {
			if o.conv[word] {
				n++
			}
		}
		if n > 1 && len(pair) == 3 {
			return errors.New("cannot combine any two of {ascii,ebcdic,ibm}")
		}
		if n > 1 {
			return fmt.Errorf("cannot combine %s and %s", pair[0], pair[1])
		}
	}
	o.countIsBytes = o.countIsBytes || o.iflags["count_bytes"]
	o.skipIsBytes = o.skipIsBytes || o.iflags["skip_bytes"]
	o.seekIsBytes = o.seekIsBytes || o.oflags["seek_bytes"]
	return nil
}

// converts reports whether the bytes change on their way.
func (o *ddOptions) converts() bool {
	for _, word := range []string{"ascii", "ebcdic", "ibm", "block", "unblock", "lcase", "ucase", "swab"} {
		if o.conv[word] {
			return true
		}
	}
	return false
}
