package file

import (
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
)

// A backup says whether and how to keep what would be overwritten.
type backup struct {
	control string // "" where none is wanted; else simple, existing or numbered
	suffix  string
}

var backupControls = []string{"none,off", "simple,never", "existing,nil", "numbered,t"}

// backupFlags declares --backup, -b and --suffix. Call the function that it
// returns after the options are parsed: it fills in what the environment says.
func backupFlags(c *builtins.Call, f *builtins.Flags, b *backup) func() {
	var wanted bool
	var control string
	f.Optional("backup", "make a backup of each existing destination file as `CONTROL` says", func(s string, ok bool) error {
		wanted = true
		if !ok || s == "" {
			return nil
		}
		return builtins.ChooseAs(&control, s, "backup type", backupControls)
	})
	f.Do("b", "like --backup but does not accept an argument", func() error { wanted = true; return nil })
	f.Func("S,suffix", "override the usual backup `SUFFIX`", func(s string) error {
		wanted, b.suffix = true, s
		return nil
	})
	return func() {
		if !wanted {
			return
		}
		if b.suffix == "" {
			b.suffix = c.Getenv("SIMPLE_BACKUP_SUFFIX")
		}
		if b.suffix == "" || strings.Contains(b.suffix, "/") {
			b.suffix = "~"
		}
		if control == "" {
			control = "existing"
			if v := c.Getenv("VERSION_CONTROL"); v != "" {
				_ = builtins.ChooseAs(&control, v, "", backupControls)
			}
		}
		if control != "none" {
			b.control = control
		}
	}
}

func (b backup) wanted() bool { return b.control != "" }

// name returns the name under which to keep the file called name.
func (b backup) name(c *builtins.Call, name string) string {
	name = strings.TrimRight(name, "/")
	if b.control == "simple" {
		return name + b.suffix
	}
	last := lastBackup(c, name)
	if b.control == "existing" && last == 0 {
		return name + b.suffix
	}
	return name + ".~" + strconv.FormatUint(last+1, 10) + "~"
}

// lastBackup returns the highest number of a backup of name, or 0.
func lastBackup(c *builtins.Call, name string) uint64 {
	entries, _ := c.FS.ReadDir(dirOf(name))
	prefix, last := walk.Base(name)+".~", uint64(0)
	for _, e := range entries {
		if c.Poll(1) != nil {
			break
		}
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		if digits, end := strings.CutSuffix(rest, "~"); ok && end {
			if n, err := strconv.ParseUint(digits, 10, 63); err == nil && digits[0] != '0' {
				last = max(last, n)
			}
		}
	}
	return last
}

// keep moves the file name aside and returns where to. It returns "" if there
// is no such file.
func (b backup) keep(c *builtins.Call, name string) (string, error) {
	to := b.name(c, name)
	err := c.FS.Rename(name, to)
	if isNotExist(err) {
		return "", nil
	}
	return to, err
}
