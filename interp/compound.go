package interp

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/vfs"
	"mvdan.cc/sh/v3/syntax"
)

// selectClause compiles a select loop.
func (c *compiler) selectClause(loop *syntax.WordIter, body node) node {
	items, text := c.items(loop)
	id := c.id(loop.Name.Value)
	head := "select " + loop.Name.Value + " in " + text
	describe := func() string { return head }
	line := c.at
	return func(sh *Shell) ctl {
		sh.begins(describe)
		if sh.hooks&hookCommand != 0 {
			if k, run := sh.beforeCommand(line); !run {
				return k
			}
			sh.trace(head)
		}
		words := items(sh, nil)
		if sh.pending != ctlNone {
			return sh.take()
		}
		if len(words) == 0 {
			return sh.done(0)
		}
		held, ok := sh.holdWords(words)
		if !ok {
			return sh.take()
		}
		defer func() { sh.hold(-held) }()
		sh.loops++
		defer func() { sh.loops-- }()
		show := true
		for {
			choice, ok := sh.choose(words, show)
			if !ok {
				sh.print("select", "\n")
				return sh.done(1)
			}
			if choice == "" {
				show = true
				continue
			}
			show = false
			word := ""
			if n, ok := builtinInt(choice); ok && n >= 1 && n <= int64(len(words)) {
				word = words[n-1]
			}
			if !sh.forCommand(func() bool { return sh.assign(id, word) }) {
				sh.status = 1
				return sh.take()
			}
			if k := body(sh); k != ctlNone {
				if end, out := sh.after(k); end {
					return out
				}
			}
			if sh.get("REPLY") == "" {
				show = true
			}
		}
	}
}

// choose prints the menu of a select loop and reads an answer.
func (sh *Shell) choose(words []string, show bool) (string, bool) {
	if show {
		_ = sh.write(2, []byte(menu(words)))
	}
	prompt := "#? "
	if v := sh.lookup("PS3"); v.isSet() {
		prompt = v.text(sh)
	}
	_ = sh.write(2, []byte(prompt))
	c := readCall{delim: '\n', chars: -1}
	f := sh.fd(0)
	if f == nil {
		sh.errorf("read error: 0: %v", vfs.EBADF)
		return "", false
	}
	line, status := c.line(sh, f)
	if status != 0 || sh.pending != ctlNone {
		return "", false
	}
	text := string(line.buf)
	sh.set("REPLY", text)
	return text, true
}

// menu returns the numbered words in columns, as wide as a terminal of 80.
func menu(words []string) string {
	digits := len(itoa(int64(len(words))))
	width := 0
	for _, w := range words {
		width = max(width, utf8.RuneCountInString(w))
	}
	width += digits + 2
	columns := max(1, 80/(width+2))
	rows := (len(words) + columns - 1) / columns
	if rows == 1 && len(words) > 1 {
		rows, columns = len(words), 1
	} else {
		columns = (len(words) + rows - 1) / rows
	}
	var b strings.Builder
	for r := range rows {
		for c := 0; c < columns; c++ {
			i := c*rows + r
			if i >= len(words) {
				break
			}
			text := fmt.Sprintf("%*d) %s", digits, i+1, words[i])
			b.WriteString(text)
			if c+1 < columns && i+rows < len(words) {
				b.WriteString(strings.Repeat(" ", max(1, width+2-utf8.RuneCountInString(text))))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// letClause compiles let, whose expressions the parser has read: their text is
// that of words.
func (c *compiler) letClause(cmd *syntax.LetClause) node {
	var exprs []arith
	for _, x := range cmd.Exprs {
		src := c.arithSource(x)
		t := c.within(src).wordText(inText)
		if t == nil {
			exprs = append(exprs, c.arithText(src, 0))
			continue
		}
		exprs = append(exprs, func(sh *Shell) int64 {
			s := t(sh)
			if sh.pending != ctlNone {
				return 0
			}
			return sh.evalText(s)
		})
	}
	text := c.text(cmd.Pos(), cmd.End())
	describe := func() string { return text }
	line := c.at
	words := strings.Fields(text) // Bash: they are not expanded as words here
	return func(sh *Shell) ctl {
		sh.begins(describe)
		if sh.hooks&hookCommand != 0 {
			if k, run := sh.beforeCommand(line); !run {
				return k
			}
			sh.trace(text)
		}
		return sh.inner(KindBuiltin, words, func() ctl {
			var n int64
			for _, e := range exprs {
				n = sh.named("let", e)
				if sh.pending != ctlNone {
					return sh.takeArith()
				}
			}
			sh.status = b2i(n == 0)
			return ctlNone
		})
	}
}

// timeClause compiles time pipeline.
func (c *compiler) timeClause(cmd *syntax.TimeClause) node {
	run := func(sh *Shell) ctl { return sh.done(0) }
	if cmd.Stmt != nil {
		run = c.foreground(cmd.Stmt)
	}
	posix := cmd.PosixFormat
	return func(sh *Shell) ctl {
		start := sh.cfg.Clock.Now()
		k := run(sh)
		if sh.x.halted.Load() {
			return k
		}
		if cmd.Stmt == nil && sh.is(optPosix) {
			_ = sh.write(2, []byte("user\t"+duration(0, 2, true)+"\nsys\t"+duration(0, 2, true)+"\n"))
			return k
		}
		sh.printTimes(sh.cfg.Clock.Now().Sub(start), posix)
		return k
	}
}

// printTimes prints how long a pipeline took, in the form of TIMEFORMAT. The
// time of the processor is not told apart from that of the clock: both are the
// elapsed time of this process.
func (sh *Shell) printTimes(real time.Duration, posix bool) {
	format := "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS"
	if v := sh.lookup("TIMEFORMAT"); v.isSet() {
		format = v.text(sh)
	}
	if posix {
		format = "real %2R\nuser %2U\nsys %2S"
	}
	if format == "" {
		return
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		precision, long := 3, false
		if format[i] >= '0' && format[i] <= '9' {
			precision = min(int(format[i]-'0'), 3)
			i++
		}
		if i < len(format) && format[i] == 'l' {
			long = true
			i++
		}
		if i == len(format) {
			break
		}
		switch format[i] {
		case '%':
			b.WriteByte('%')
		case 'R':
			b.WriteString(duration(real, precision, long))
		case 'U':
			b.WriteString(duration(real, precision, long))
		case 'S':
			b.WriteString(duration(0, precision, long))
		case 'P':
			b.WriteString("100.00")
		default:
			sh.errorf("TIMEFORMAT: `%c': invalid format character", format[i])
			return
		}
	}
	_ = sh.write(2, []byte(b.String()+"\n"))
}

func duration(d time.Duration, precision int, long bool) string {
	if !long {
		return fmt.Sprintf("%.*f", precision, d.Seconds())
	}
	minutes := d / time.Minute
	return fmt.Sprintf("%dm%.*fs", minutes, precision, (d - minutes*time.Minute).Seconds())
}
