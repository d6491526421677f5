package interp

import (
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/limits"
)

// A ulimitRow is a resource that ulimit knows.
type ulimitRow struct {
	letter byte
	name   string
	unit   string
	scale  int64                       // bytes of one unit, or 1
	value  func(m *limits.Meter) int64 // in bytes or pieces; nil where it has no bound here
}

func limitOf(r limits.Resource) func(*limits.Meter) int64 {
	return func(m *limits.Meter) int64 { return m.Limit(r) }
}

// ulimits are the resources in the order in which ulimit -a lists them.
var ulimits = []ulimitRow{
	{'R', "real-time non-blocking time", "microseconds", 1, nil},
	{'c', "core file size", "blocks", 512, func(*limits.Meter) int64 { return 0 }},
	{'d', "data seg size", "kbytes", 1024, limitOf(limits.Memory)},
	{'e', "scheduling priority", "", 1, func(*limits.Meter) int64 { return 0 }},
	{'f', "file size", "blocks", 1024, limitOf(limits.FileSize)},
	{'i', "pending signals", "", 1, nil},
	{'l', "max locked memory", "kbytes", 1024, func(*limits.Meter) int64 { return 0 }},
	{'m', "max memory size", "kbytes", 1024, limitOf(limits.Memory)},
	{'n', "open files", "", 1, limitOf(limits.OpenFiles)},
	{'p', "pipe size", "512 bytes", 512, func(*limits.Meter) int64 { return 4096 }},
	{'q', "POSIX message queues", "bytes", 1, func(*limits.Meter) int64 { return 0 }},
	{'r', "real-time priority", "", 1, func(*limits.Meter) int64 { return 0 }},
	{'s', "stack size", "kbytes", 1024, nil},
	{'t', "cpu time", "seconds", 1, func(m *limits.Meter) int64 {
		if t := m.Limit(limits.Time); t > 0 {
			return max(t/1e9, 1)
		}
		return limits.Unlimited
	}},
	{'u', "max user processes", "", 1, limitOf(limits.Jobs)},
	{'v', "virtual memory", "kbytes", 1024, limitOf(limits.Memory)},
	{'x', "file locks", "", 1, nil},
}

// builtinUlimit shows the limits of the sandbox in the form of ulimit, and lets
// a script lower what it sees: what it may use, only its host decides.
func builtinUlimit(sh *Shell, args []string) ctl {
	letters, all, hard, soft := "", false, false, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		for _, c := range args[0][1:] {
			switch {
			case c == 'a':
				all = true
			case c == 'H':
				hard = true
			case c == 'S':
				soft = true
			case ulimitBy(byte(c)) != nil:
				letters += string(c)
			default:
				sh.complain("ulimit", "-%c: invalid option", c)
				return sh.usage("ulimit")
			}
		}
		args = args[1:]
	}
	if all {
		return sh.showLimits(hard)
	}
	if letters == "" {
		letters = "f"
	}
	for i := range len(letters) {
		row := ulimitBy(letters[i])
		if len(args) == 0 {
			text := sh.limitText(row, hard)
			if len(letters) > 1 {
				text = row.label() + text
			}
			if !sh.print("ulimit", text+"\n") {
				return ctlNone
			}
			continue
		}
		if !sh.setLimit(row, args[0], hard, soft) {
			return sh.done(1)
		}
	}
	return sh.done(0)
}

func ulimitBy(letter byte) *ulimitRow {
	for i := range ulimits {
		if ulimits[i].letter == letter {
			return &ulimits[i]
		}
	}
	return nil
}

// label is how ulimit -a names a resource.
func (r *ulimitRow) label() string {
	unit := "(-" + string(r.letter) + ") "
	if r.unit != "" {
		unit = "(" + r.unit + ", -" + string(r.letter) + ") "
	}
	return fmt.Sprintf("%-20s %20s", r.name, unit)
}

// limitText returns a limit as ulimit prints it.
func (sh *Shell) limitText(r *ulimitRow, hard bool) string {
	if n, ok := sh.ulimits[r.letter]; ok && !hard {
		return itoa(n)
	}
	if n, ok := sh.hardLimits[r.letter]; ok && hard {
		return itoa(n)
	}
	if r.value == nil {
		return "unlimited"
	}
	n := r.value(sh.x.meter)
	if n < 0 {
		return "unlimited"
	}
	return itoa(n / r.scale)
}

func (sh *Shell) showLimits(hard bool) ctl {
	var b strings.Builder
	for i := range ulimits {
		b.WriteString(ulimits[i].label() + sh.limitText(&ulimits[i], hard) + "\n")
	}
	if !sh.print("ulimit", b.String()) {
		return ctlNone
	}
	return sh.done(0)
}

// setLimit sets what ulimit shows. A limit cannot be raised above the hard one.
func (sh *Shell) setLimit(r *ulimitRow, text string, hard, soft bool) bool {
	ceiling, bounded := builtinInt(sh.limitText(r, true))
	n := int64(0)
	switch text {
	case "unlimited":
		if bounded {
			sh.complain("ulimit", "%s: cannot modify limit: Operation not permitted", r.name)
			return false
		}
		delete(sh.ulimits, r.letter)
		return true
	case "hard", "soft":
		v, ok := builtinInt(sh.limitText(r, text == "hard"))
		if !ok {
			return true
		}
		n = v
	default:
		v, ok := builtinInt(text)
		if !ok || v < 0 {
			sh.complain("ulimit", "%s: invalid number", text)
			return false
		}
		n = v
	}
	if bounded && n > ceiling {
		sh.complain("ulimit", "%s: cannot modify limit: Operation not permitted", r.name)
		return false
	}
	if sh.ulimits == nil {
		sh.ulimits, sh.hardLimits = map[byte]int64{}, map[byte]int64{}
	}
	if hard || !soft {
		sh.hardLimits[r.letter] = n
	}
	if soft || !hard {
		sh.ulimits[r.letter] = n
	}
	return true
}
