package system

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var locale = commands.Add(&builtins.Command{
	Name:     "locale",
	Synopsis: "[OPTION...] NAME",
	Summary:  "get locale-specific information",
	Run:      runLocale,
})

// categories are the categories of a locale, in the order in which they are
// shown.
var categories = []string{
	"LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "LC_PAPER", "LC_NAME",
	"LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION",
}

// keywords are what locale says of the locale C.UTF-8, which all scripts have.
var keywords = map[string]string{
	"charmap": "UTF-8", "decimal_point": ".", "thousands_sep": "", "yesexpr": "^[yY]", "noexpr": "^[nN]",
	"d_fmt": "%m/%d/%y", "t_fmt": "%H:%M:%S", "d_t_fmt": "%a %b %e %H:%M:%S %Y", "int_curr_symbol": "",
}

func runLocale(ctx context.Context, c *builtins.Call) error {
	var all, maps bool
	f := c.Flags()
	f.Info("?", "V")
	f.Bool(&all, "a,all-locales", "write names of available locales")
	f.Bool(&maps, "m,charmaps", "write names of available charmaps")
	names, err := f.Parse()
	if err != nil {
		return err
	}
	var text strings.Builder
	switch {
	case all:
		text.WriteString("C\nC.utf8\nPOSIX\n")
	case maps:
		text.WriteString("ANSI_X3.4-1968\nUTF-8\n")
	case len(names) == 0:
		describeLocale(c, &text)
	}
	for _, name := range names {
		value, ok := keywords[name]
		if !ok {
			c.Warnf("unknown name %q", name)
			continue
		}
		fmt.Fprintln(&text, value)
	}
	_, err = io.WriteString(c.Stdout, text.String())
	return err
}

// describeLocale writes the variables that choose a locale; values in quotes
// follow from others.
func describeLocale(c *builtins.Call, w io.Writer) {
	lang, all := c.Getenv("LANG"), c.Getenv("LC_ALL")
	fmt.Fprintf(w, "LANG=%s\nLANGUAGE=%s\n", lang, c.Getenv("LANGUAGE"))
	for _, name := range categories {
		value := c.Getenv(name)
		switch {
		case all != "":
			fmt.Fprintf(w, "%s=%q\n", name, all)
		case value != "":
			fmt.Fprintf(w, "%s=%s\n", name, value)
		case lang != "":
			fmt.Fprintf(w, "%s=%q\n", name, lang)
		default:
			fmt.Fprintf(w, "%s=\"POSIX\"\n", name)
		}
	}
	fmt.Fprintf(w, "LC_ALL=%s\n", all)
}
