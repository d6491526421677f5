package file

import (
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// settle fills in what the options leave open.
func (o *lsFlags) settle(c *builtins.Call) error {
	terminal := builtins.Interactive(c.Stdout)
	if o.format == "" {
		switch {
		case c.Name == "vdir":
			o.format = lsLong
		case c.Name == "dir" || terminal:
			o.format = lsColumns
		default:
			o.format = lsOne
		}
	}
	o.settleQuoting(c, terminal)
	if err := o.settleWidth(c); err != nil {
		return err
	}
	o.settleUnits(c)
	if o.timed && !o.sorted && o.format != lsLong {
		o.sort = "time"
	}
	if o.deref == lsDerefUndefined {
		switch {
		case o.directories, o.indicator == "classify", o.format == lsLong:
			o.deref = lsDerefNever
		default:
			o.deref = lsDerefOperandDirs
		}
	}
	if o.format == lsLong {
		return o.settleTime(c)
	}
	return nil
}

func (o *lsFlags) settleQuoting(c *builtins.Call, terminal bool) {
	style := o.quoting
	if style == "" {
		if env := c.Getenv("QUOTING_STYLE"); quoting(env) != nil {
			style = env
		}
	}
	switch {
	case style != "":
	case c.Name != "ls":
		style = "escape"
	case terminal:
		style = "shell-escape"
	default:
		style = "literal"
	}
	o.quote, o.quoteTitle = quoting(style), titleQuoting(style)
	o.question = terminal && c.Name == "ls"
	if o.hideCtrl != nil {
		o.question = *o.hideCtrl
	}
	if style != "literal" && style != "shell" && style != "shell-always" {
		o.question = false // they escape what -q would replace
	}
	mixed := style == "shell" || style == "shell-escape" || style == "c-maybe"
	columns := (o.format == lsColumns || o.format == lsAcross) && o.width != 0
	o.align = mixed && (o.format == lsLong || columns)
}

func (o *lsFlags) settleWidth(c *builtins.Call) error {
	if !o.widthSet {
		o.width = 80
		if env := c.Getenv("COLUMNS"); env != "" {
			n, ok := parseWidth(env)
			if ok {
				o.width = n
			} else {
				fmt.Fprintf(c.Stderr, "%s: ignoring invalid width in environment variable COLUMNS: %s\n", c.Name, builtins.QuoteLocale(env))
			}
		}
	}
	if env := c.Getenv("TABSIZE"); env != "" && !o.tabSet {
		if n, ok := parseWidth(env); ok {
			o.tab = n
		} else {
			fmt.Fprintf(c.Stderr, "%s: ignoring invalid tab size in environment variable TABSIZE: %s\n", c.Name, builtins.QuoteLocale(env))
		}
	}
	return nil
}

func (o *lsFlags) settleUnits(c *builtins.Call) {
	env, set := envBlockSize(c, "LS_BLOCK_SIZE")
	o.blockUnit, o.sizeUnit = env, oneByte
	if c.Getenv("LS_BLOCK_SIZE") != "" || c.Getenv("BLOCK_SIZE") != "" {
		o.sizeUnit = env
	}
	switch {
	case o.unit != nil:
		o.blockUnit, o.sizeUnit = *o.unit, *o.unit
	case o.kibibytes || !set:
		o.blockUnit = oneK
	}
}

// settleTime checks the style of times.
func (o *lsFlags) settleTime(c *builtins.Call) error {
	style := o.timeStyle
	if style == "" {
		style = c.Getenv("TIME_STYLE")
	}
	if style == "" {
		style = "locale"
	}
	if strings.HasPrefix(style, "+") {
		o.timeStyle = style
		return nil
	}
	name := style
	for strings.HasPrefix(name, "posix-") {
		name = strings.TrimPrefix(name, "posix-")
		style = "locale" // of POSIX, as the only locale is
	}
	choices := []string{"full-iso", "long-iso", "iso", "locale"}
	if err := builtins.ChooseAs(&name, name, "time style", choices); err != nil {
		text := strings.NewReplacer("‘full", "[posix-]full", "‘long", "[posix-]long", "‘iso", "[posix-]iso", "‘locale", "[posix-]locale")
		head, list, _ := strings.Cut(err.Error(), "\n")
		list = strings.ReplaceAll(text.Replace(list), "’", "")
		return builtins.Usage("%s\n%s\n  - +FORMAT (e.g., +%%H:%%M) for a 'date'-style format", head, list)
	}
	if style != "locale" {
		style = name
	}
	o.timeStyle = style
	return nil
}
