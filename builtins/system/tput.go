package system

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var tput = commands.Add(&builtins.Command{
	Name:     "tput",
	Synopsis: "[-T TERM] [-x] CAPABILITY [PARAMETER...]",
	Summary:  "print what makes a terminal do something",
	Trouble:  2,
	Run:      runTput,
})

// A terminal is what a kind of terminal can do. In strings, %1 and %2 stand for
// parameters, %+1 and %+2 for one more than they are.
type terminal struct {
	flags   string // names, separated by spaces
	numbers map[string]int
	strings map[string]string
}

// xtermStrings has the capabilities of xterm and its relatives.
var xtermStrings = map[string]string{
	"bel": "\a", "blink": "\x1b[5m", "bold": "\x1b[1m", "cbt": "\x1b[Z", "civis": "\x1b[?25l", "clear": "\x1b[H\x1b[2J",
	"cnorm": "\x1b[?12l\x1b[?25h", "cr": "\r", "csr": "\x1b[%+1;%+2r", "cub": "\x1b[%1D", "cub1": "\b", "cud": "\x1b[%1B",
	"cud1": "\n", "cuf": "\x1b[%1C", "cuf1": "\x1b[C", "cup": "\x1b[%+1;%+2H", "cuu": "\x1b[%1A", "cuu1": "\x1b[A",
	"cvvis": "\x1b[?12;25h", "dch": "\x1b[%1P", "dch1": "\x1b[P", "dim": "\x1b[2m", "dl": "\x1b[%1M", "dl1": "\x1b[M",
	"ech": "\x1b[%1X", "ed": "\x1b[J", "el": "\x1b[K", "el1": "\x1b[1K", "home": "\x1b[H", "hpa": "\x1b[%+1G", "ht": "\t",
	"ich": "\x1b[%1@", "il": "\x1b[%1L", "il1": "\x1b[L", "ind": "\n", "indn": "\x1b[%1S", "invis": "\x1b[8m",
	"kbs": "\x7f", "kcub1": "\x1bOD", "kcud1": "\x1bOB", "kcuf1": "\x1bOC", "kcuu1": "\x1bOA", "kdch1": "\x1b[3~",
	"kend": "\x1bOF", "kent": "\x1bOM", "khome": "\x1bOH", "kich1": "\x1b[2~", "knp": "\x1b[6~", "kpp": "\x1b[5~",
	"nel": "\x1bE", "op": "\x1b[39;49m", "rc": "\x1b8", "rev": "\x1b[7m", "ri": "\x1bM", "rin": "\x1b[%1T", "ritm": "\x1b[23m",
	"rmacs": "\x1b(B", "rmam": "\x1b[?7l", "rmcup": "\x1b[?1049l\x1b[23;0;0t", "rmir": "\x1b[4l", "rmkx": "\x1b[?1l\x1b>",
	"rmso": "\x1b[27m", "rmul": "\x1b[24m", "sc": "\x1b7", "setab": "\x1b[4%1m", "setaf": "\x1b[3%1m",
	"sgr0": "\x1b(B\x1b[m", "sitm": "\x1b[3m", "smacs": "\x1b(0", "smam": "\x1b[?7h", "smcup": "\x1b[?1049h\x1b[22;0;0t",
	"smir": "\x1b[4h", "smkx": "\x1b[?1h\x1b=", "smso": "\x1b[7m", "smul": "\x1b[4m", "tbc": "\x1b[3g", "vpa": "\x1b[%+1d",
}

const xtermFlags = "am bce km mc5i mir msgr npc xenl"

// terminals has the kinds of terminals that are known.
var terminals = map[string]*terminal{
	"dumb": {
		flags: "am", numbers: map[string]int{"cols": 80},
		strings: map[string]string{"bel": "\a", "cr": "\r", "cud1": "\n", "ind": "\n"},
	},
	"xterm": {
		flags: xtermFlags, numbers: map[string]int{"cols": 80, "lines": 24, "colors": 8, "pairs": 64, "it": 8}, strings: xtermStrings,
	},
	"xterm-256color": {
		flags: xtermFlags + " ccc", numbers: map[string]int{"cols": 80, "lines": 24, "colors": 256, "pairs": 65536, "it": 8}, strings: xtermStrings,
	},
}

func runTput(ctx context.Context, c *builtins.Call) error {
	var keep, input bool
	f := c.Flags()
	f.Info("", "V")
	f.Ordered = true
	f.Bool(&input, "S", "read commands from standard input")
	name := ""
	f.String(&name, "T", "use this instead of $`TERM`")
	f.Bool(&keep, "x", "do not try to clear scrollback")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if name == "" {
		name = c.Getenv("TERM")
	}
	if name == "" {
		c.Warnf("No value for $TERM and no -T specified")
		return c.Command.Trouble
	}
	term := findTerminal(name)
	if term == nil {
		c.Warnf("unknown terminal %q", name)
		return builtins.Exit(3)
	}
	if input {
		return term.script(c, keep)
	}
	if len(args) == 0 {
		return f.Fail(builtins.Usage("missing capability"))
	}
	return term.put(c, args, keep)
}

// findTerminal returns a kind of terminal, or nil. Terminals that behave as
// xterm does count as that.
func findTerminal(name string) *terminal {
	if t, ok := terminals[name]; ok {
		return t
	}
	for _, family := range []string{"xterm", "screen", "tmux", "rxvt", "linux", "vt100", "vt220", "ansi"} {
		if name == family || strings.HasPrefix(name, family+"-") {
			if strings.HasSuffix(name, "256color") {
				return terminals["xterm-256color"]
			}
			return terminals["xterm"]
		}
	}
	return nil
}

// script puts the capabilities that the lines of standard input name.
func (t *terminal) script(c *builtins.Call, keep bool) error {
	lines := c.Lines(c.Stdin, '\n')
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if args := strings.Fields(string(line)); len(args) > 0 {
			if err := t.put(c, args, keep); err != nil {
				return err
			}
		}
	}
}

// put prints one capability.
func (t *terminal) put(c *builtins.Call, args []string, keep bool) error {
	name := args[0]
	text, known := t.strings[name]
	n, isNumber := t.numbers[name]
	switch {
	case name == "longname":
		text = "xterm terminal emulator (X Window System)"
	case name == "init" || name == "reset":
		text = t.strings["rmkx"]
	case name == "cols" || name == "lines":
		text = strconv.Itoa(t.size(c, name)) + "\n"
	case name == "clear" && !keep && known:
		text += "\x1b[3J"
	case isNumber:
		text = strconv.Itoa(n) + "\n"
	case known:
		text = t.expand(name, args[1:])
	case terminals["xterm-256color"].numbers[name] != 0:
		text = "-1\n"
	case strings.Contains(" "+t.flags+" ", " "+name+" "):
		return nil
	case strings.Contains(" "+xtermFlags+" ccc hs os hc bw ", " "+name+" "), xtermStrings[name] != "":
		return builtins.Exit(1)
	default:
		c.Warnf("unknown terminfo capability '%s'", name)
		return builtins.Exit(4)
	}
	_, err := io.WriteString(c.Stdout, text)
	return err
}

// size returns the number of columns or lines.
func (t *terminal) size(c *builtins.Call, name string) int {
	variable := map[string]string{"cols": "COLUMNS", "lines": "LINES"}[name]
	if n, err := strconv.Atoi(c.Getenv(variable)); err == nil && n > 0 {
		return n
	}
	if n, ok := t.numbers[name]; ok {
		return n
	}
	return 24
}

// expand puts parameters into a string.
func (t *terminal) expand(name string, args []string) string {
	var p [2]int
	for i := range min(len(args), 2) {
		p[i], _ = strconv.Atoi(args[i])
	}
	if t.numbers["colors"] == 256 && (name == "setaf" || name == "setab") && p[0] >= 8 {
		base := map[string]int{"setaf": 3, "setab": 4}[name]
		if p[0] < 16 {
			return fmt.Sprintf("\x1b[%d%dm", base+6, p[0]-8)
		}
		return fmt.Sprintf("\x1b[%d8;5;%dm", base, p[0])
	}
	return strings.NewReplacer("%+1", strconv.Itoa(p[0]+1), "%+2", strconv.Itoa(p[1]+1),
		"%1", strconv.Itoa(p[0]), "%2", strconv.Itoa(p[1])).Replace(t.strings[name])
}

var clear = commands.Add(&builtins.Command{
	Name:     "clear",
	Synopsis: "[-x] [-T TERM]",
	Summary:  "clear the terminal screen",
	Run: func(ctx context.Context, c *builtins.Call) error {
		var keep bool
		name := ""
		f := c.Flags()
		f.Info("", "V")
		f.String(&name, "T", "use this instead of $`TERM`")
		f.Bool(&keep, "x", "do not try to clear scrollback")
		if err := noOperands(f); err != nil {
			return err
		}
		if name == "" {
			name = c.Getenv("TERM")
		}
		if name == "" {
			c.Warnf("TERM environment variable not set.")
			return builtins.Exit(1)
		}
		term := findTerminal(name)
		if term == nil {
			return fmt.Errorf("'%s': unknown terminal type.", name)
		}
		if term.strings["clear"] == "" {
			return builtins.Exit(1)
		}
		return term.put(c, []string{"clear"}, keep)
	},
})
