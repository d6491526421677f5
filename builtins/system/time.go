package system

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var timeCommand = commands.Add(&builtins.Command{
	Name:     "time",
	Synopsis: "[OPTIONS] COMMAND [ARG]...",
	Summary:  "run a command and report how long it took",
	Trouble:  125,
	Run:      runTime,
})

const (
	timeDefault = "%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps"
	timePOSIX   = "real %e\nuser %U\nsys %S"
)

func runTime(ctx context.Context, c *builtins.Call) error {
	format, output := timeDefault, ""
	var add, quiet bool
	f := c.Flags()
	f.Info("", "V")
	f.Ordered = true
	f.Bool(&add, "a,append", "with -o FILE, append instead of overwriting")
	f.String(&format, "f,format", "use the specified `FORMAT` instead of the default")
	f.String(&output, "o,output", "write to `FILE` instead of STDERR")
	f.Do("p,portability", "print POSIX standard 1003.2 conformant string", func() error { format = timePOSIX; return nil })
	f.Bool(&quiet, "q,quiet", "do not print information about abnormal program termination")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return f.Fail(builtins.Usage("missing program to run"))
	}
	var w io.Writer = c.Stderr
	if output != "" {
		flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
		if add {
			flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
		}
		file, err := c.FS.OpenFile(output, flag, 0o666)
		if err != nil {
			return builtins.FileError(output, err)
		}
		defer file.Close()
		w = file
	}
	t := timing{args: args}
	start := c.Clock.Now()
	if _, err := c.LookPath(args[0]); err != nil {
		c.Warnf("cannot run %s: %w", args[0], vfs.ErrnoOf(err))
		t.status = runnable(silent(c), args[0], "").(builtins.Exit)
	} else if t.status, err = c.Exec(ctx, args, nil); err != nil {
		return err
	}
	t.elapsed = c.Clock.Now().Sub(start)
	if t.status != 0 && !quiet {
		if t.status > builtins.Signaled {
			fmt.Fprintf(w, "Command terminated by signal %d\n", t.status-builtins.Signaled)
		} else {
			fmt.Fprintf(w, "Command exited with non-zero status %d\n", t.status)
		}
	}
	if _, err := fmt.Fprintln(w, t.format(format)); err != nil {
		return err
	}
	return t.status
}

// A timing is what became of a command.
type timing struct {
	args    []string
	status  builtins.Exit
	elapsed time.Duration
}

// format expands the sequences of format. What a sandbox does not measure is
// zero: a command has no process of its own.
func (t *timing) format(format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		c := format[i]
		if (c != '%' && c != '\\') || i+1 == len(format) {
			b.WriteByte(c)
			continue
		}
		i++
		if c == '\\' {
			switch format[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '\\':
				b.WriteByte('\\')
			default:
				b.WriteString("?\\")
				b.WriteByte(format[i])
			}
			continue
		}
		b.WriteString(t.sequence(format[i]))
	}
	return b.String()
}

func (t *timing) sequence(c byte) string {
	seconds := t.elapsed.Seconds()
	switch c {
	case '%':
		return "%"
	case 'C':
		return strings.Join(t.args, " ")
	case 'E':
		s := int64(seconds)
		if s >= 3600 {
			return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
		}
		return fmt.Sprintf("%d:%02d.%02d", s/60, s%60, int64(seconds*100)%100)
	case 'e':
		return fmt.Sprintf("%.2f", seconds)
	case 'U', 'S':
		return "0.00"
	case 'P':
		return "0%"
	case 'x':
		return fmt.Sprint(uint8(t.status))
	case 'Z':
		return "4096"
	case 'D', 'F', 'I', 'K', 'M', 'O', 'R', 'W', 'X', 'c', 'k', 'p', 'r', 's', 't', 'w':
		return "0"
	}
	return "?" + string(rune(c))
}
