package archive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A tarTag is a file whose presence keeps a directory, or what is in it, out of
// the archive.
type tarTag struct {
	name  string
	cache bool // it must begin as the tags of caches do
	keep  tarKeep
}

// A tarKeep is what is stored of a directory with a tag.
type tarKeep uint8

const (
	keepTag  tarKeep = iota // the directory and the tag
	keepDir                 // the directory
	keepNone                // nothing
)

// on declares an option without a value that sets *p to v.
func on[T any](f *builtins.Flags, p *T, v T, names, help string) {
	f.Do(names, help, func() error { *p = v; return nil })
}

// declareMatching declares how names and patterns match.
func (j *tarJob) declareMatching(f *builtins.Flags) {
	s := &j.selection
	on(f, &s.anchored, anchoredYes, "anchored", "patterns match the start of names")
	on(f, &s.anchored, anchoredNo, "no-anchored", "patterns match after any slash too (the default for exclusion)")
	on(f, &s.ignoreCase, true, "ignore-case", "ignore case")
	on(f, &s.ignoreCase, false, "no-ignore-case", "case sensitive matching (the default)")
	on(f, &s.stopAtSlash, false, "wildcards-match-slash", "wildcards match slashes (the default for exclusion)")
	on(f, &s.stopAtSlash, true, "no-wildcards-match-slash", "wildcards do not match slashes")
	for _, t := range []struct {
		suffix, help string
		keep         tarKeep
	}{
		{"", "except for the tag itself", keepTag}, {"-under", "with the tag", keepDir}, {"-all", "and the directory itself", keepNone},
	} {
		f.Func("exclude-tag"+t.suffix, "exclude contents of directories with a `FILE`, "+t.help, func(name string) error {
			j.tags = append(j.tags, tarTag{name: name, keep: t.keep})
			return nil
		})
		f.Do("exclude-caches"+t.suffix, "exclude contents of directories with a CACHEDIR.TAG, "+t.help, func() error {
			j.tags = append(j.tags, tarTag{name: "CACHEDIR.TAG", cache: true, keep: t.keep})
			return nil
		})
	}
	f.Do("exclude-backups", "exclude backup and lock files", func() error {
		for _, p := range []string{".#*", "*~", "#*#"} {
			s.exclude(p)
		}
		return nil
	})
	f.Optional("occurrence", "process only the `NUMBER`th occurrence of each file", func(text string, ok bool) error {
		j.occurrence = 1
		if !ok {
			return nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return j.finish(j.fatal("%s: Invalid number", text))
		}
		j.occurrence = n
		return nil
	})
}

// declareLists declares the options about -T.
func (j *tarJob) declareLists(f *builtins.Flags) {
	on(f, &j.names.null, false, "no-null", "undo --null")
	on(f, &j.names.verbatim, true, "verbatim-files-from", "-T reads names even if they begin with dashes")
	on(f, &j.names.verbatim, false, "no-verbatim-files-from", "-T reads options too (the default)")
	on(f, &j.names.quoted, false, "no-unquote", "do not unquote names that -T reads")
	on(f, &j.names.quoted, true, "unquote", "unquote names that -T reads (the default)")
	f.Func("add-file", "add `FILE` to the archive, whatever its name begins with", func(name string) error { j.operand(name); return nil })
}

// declareRest declares what most users never ask for.
func (j *tarJob) declareRest(f *builtins.Flags) {
	f.Optional("one-top-level", "extract all into `DIR`, which the name of the archive tells unless it is given", func(dir string, ok bool) error {
		if j.wantTop = true; ok {
			j.top = strings.TrimRight(dir, "/")
		}
		return nil
	})
	f.String(&j.program, "I,use-compress-program", "filter through `PROG`, which must accept -d")
	f.String(&j.command, "to-command", "pipe extracted files to the `COMMAND`")
	on(f, &j.ignoreCommand, true, "ignore-command-error", "ignore exit statuses of the command of --to-command")
	on(f, &j.ignoreCommand, false, "no-ignore-command-error", "treat a status that is not zero as an error (the default)")
	f.Bool(&j.totals, "totals", "print the total bytes after processing the archive")
	f.Bool(&j.utc, "utc", "print times in UTC")
	f.Bool(&j.clamp, "clamp-mtime", "set the time of --mtime only for files that are more recent")
	f.Bool(&j.ignoreFailedRead, "ignore-failed-read", "do not fail because of files that cannot be read")
	f.Bool(&j.oneFS, "one-file-system", "stay in the file system of the operand")
	f.Bool(&j.hardDereference, "hard-dereference", "store the files that hard links refer to")
	f.Bool(&j.recursiveUnlink, "recursive-unlink", "empty directories that files replace")
	f.Bool(&j.keepDirLink, "keep-directory-symlink", "keep symbolic links to directories")
	f.Bool(&j.keepDirs, "no-overwrite-dir", "keep the metadata of directories that are there")
	on(f, &j.keepDirs, false, "overwrite-dir", "overwrite the metadata of directories that are there (the default)")
	f.String(&j.indexFile, "index-file", "send verbose output to `FILE`")
	f.Do("old-archive,portability", "same as --format=v7", func() error { j.format = "v7"; return nil })
	on(f, &j.auto, false, "no-auto-compress", "do not use the archive's suffix to determine the compression program")
	f.Func("record-size", "`NUMBER` of bytes per record, a multiple of 512", func(text string) error {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 1 {
			return j.misuse(f, builtins.Usage("%s: Invalid record size", text))
		}
		if n%512 != 0 {
			return j.misuse(f, builtins.Usage("Record size must be a multiple of 512."))
		}
		j.record = n
		return nil
	})
	f.Do("show-defaults", "show the defaults of tar", func() error {
		fmt.Fprintln(j.call.Stdout, "--format=gnu -f- -b20 --quoting-style=escape --rmt-command=/usr/sbin/rmt --rsh-command=/usr/bin/rsh")
		return builtins.Exit(0)
	})
	f.Func("warning", "`KEYWORD`s of warnings to give or not to give; those of no-… that never come may be named", j.warnings)
	j.declareAlways(f)
}

// silentWarnings are the warnings that never come here.
var silentWarnings = strings.Fields("alone-zero-block bad-dumpdir cachedir contiguous-cast file-changed file-removed file-shrank file-unchanged " +
	"ignore-archive ignore-newer new-directory rename-directory symlink-cast timestamp unknown-cast unknown-keyword verbose xattr-write xdev existing-file " +
	"decompress-program record-size missing-zero-blocks failed-read")

// warnings deals with the value of --warning.
func (j *tarJob) warnings(keyword string) error {
	if name, no := strings.CutPrefix(keyword, "no-"); no && slices.Contains(silentWarnings, name) {
		return nil
	}
	return builtins.ChooseAs(new(string), keyword, "--warning", []string{"no-" + strings.Join(silentWarnings, ",no-")})
}

// declareAlways declares the options that ask for what is always so.
func (j *tarJob) declareAlways(f *builtins.Flags) {
	nothing := func() error { return nil }
	f.Do("n,seek,no-seek", "whether the archive is seekable; it is found out", nothing)
	f.Do("B,read-full-records", "reblock as we read, as is always done", nothing)
	f.Do("s,preserve-order,same-order", "the names are in the order of the archive; any order will do", nothing)
	f.Do("no-xattrs,no-acls,no-selinux", "store no extended attributes, of which there are none", nothing)
	f.Do("force-local", "the archive is local even if its name has a colon, as is always so", nothing)
	f.Do("check-device,no-check-device", "whether devices count in incremental archives, of which there are none", nothing)
	f.Do("delay-directory-restore,no-delay-directory-restore", "when to set the metadata of directories; at the end, which is late enough", nothing)
}
