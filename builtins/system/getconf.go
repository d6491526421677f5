package system

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var getconf = commands.Add(&builtins.Command{
	Name:     "getconf",
	Synopsis: "variable_name [pathname]",
	Summary:  "query system configuration variables",
	Trouble:  2,
	Run:      runGetconf,
})

// configuration has the variables that getconf knows.
var configuration = map[string]string{
	"ARG_MAX": "2097152", "CHAR_BIT": "8", "CHAR_MAX": "127", "CHAR_MIN": "-128", "CHILD_MAX": "1000",
	"CLK_TCK": "100", "GNU_LIBC_VERSION": "glibc 2.36", "HOST_NAME_MAX": "64", "INT_MAX": "2147483647",
	"INT_MIN": "-2147483648", "IOV_MAX": "1024", "LINE_MAX": "2048", "LOGIN_NAME_MAX": "256", "LONG_BIT": "64",
	"NGROUPS_MAX": "65536", "OPEN_MAX": "1024", "PAGESIZE": "4096", "PAGE_SIZE": "4096", "PATH": "/bin:/usr/bin",
	"RE_DUP_MAX": "32767", "SCHAR_MAX": "127", "SCHAR_MIN": "-128", "SHRT_MAX": "32767", "SHRT_MIN": "-32768",
	"SSIZE_MAX": "32767", "STREAM_MAX": "16", "SYMLOOP_MAX": "", "TTY_NAME_MAX": "32", "TZNAME_MAX": "",
	"UCHAR_MAX": "255", "UINT_MAX": "4294967295", "ULONG_MAX": "18446744073709551615", "USHRT_MAX": "65535",
	"WORD_BIT": "32", "_NPROCESSORS_CONF": strconv.Itoa(processors), "_NPROCESSORS_ONLN": strconv.Itoa(processors),
	"_POSIX_VERSION": "200809", "POSIX2_VERSION": "200809", "BC_BASE_MAX": "99", "BC_DIM_MAX": "2048",
	"BC_SCALE_MAX": "99", "BC_STRING_MAX": "1000", "COLL_WEIGHTS_MAX": "255", "EXPR_NEST_MAX": "32",
	"_POSIX_ARG_MAX": "4096", "_POSIX_JOB_CONTROL": "1", "_XOPEN_VERSION": "700",
}

// pathConfiguration has those that depend on a file.
var pathConfiguration = map[string]string{
	"LINK_MAX": "65000", "MAX_CANON": "255", "MAX_INPUT": "255", "NAME_MAX": "255", "PATH_MAX": "4096",
	"PIPE_BUF": "4096", "FILESIZEBITS": "64", "SYMLINK_MAX": "", "_POSIX_CHOWN_RESTRICTED": "1", "_POSIX_NO_TRUNC": "1",
}

func runGetconf(ctx context.Context, c *builtins.Call) error {
	f := c.Flags()
	f.Hint = "Usage: getconf variable_name [pathname]\n"
	args, err := f.Parse()
	switch {
	case err != nil:
		return err
	case len(args) == 0 || len(args) > 2:
		fmt.Fprint(c.Stderr, f.Hint)
		return c.Command.Trouble
	}
	name := strings.TrimPrefix(args[0], "_PATH_")
	value, ok := configuration[name]
	if !ok && len(args) == 2 {
		value, ok = pathConfiguration[name]
		if ok {
			if _, err := c.FS.Stat(args[1]); err != nil {
				return builtins.FileError(args[1], err)
			}
		}
	}
	if !ok {
		if _, known := pathConfiguration[name]; known {
			fmt.Fprint(c.Stderr, f.Hint)
			return c.Command.Trouble
		}
		return fmt.Errorf("Unrecognized variable `%s'", args[0])
	}
	if value == "" {
		value = "undefined"
	}
	_, err = fmt.Fprintln(c.Stdout, value)
	return err
}
