package archive

import (
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
)

// declare declares the options of all operations.
func (j *tarJob) declare(f *builtins.Flags) {
	for _, o := range []struct{ names, help string }{
		{"c,create", "create a new archive"},
		{"r,append", "append files to the end of an archive"},
		{"t,list", "list the contents of an archive"},
		{"u,update", "only append files newer than copy in archive"},
		{"x,extract,get", "extract files from an archive"},
		{"d,diff,compare", "find differences between archive and file system"},
		{"A,catenate,concatenate", "append tar files to an archive"},
		{"delete", "delete from the archive"},
	} {
		mode := o.names[0]
		if o.names == "delete" {
			mode = 'D'
		}
		f.Do(o.names, o.help, func() error {
			if j.mode != 0 && j.mode != mode {
				return j.misuse(f, builtins.Usage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option"))
			}
			j.mode = mode
			return nil
		})
	}
	f.String(&j.archive, "f,file", "use archive file or device `ARCHIVE`")
	f.Func("C,directory", "change to directory `DIR`", j.chdir)
	for _, o := range []struct {
		names, help string
		method      *method
	}{
		{"j,bzip2", "filter the archive through bzip2", bzip2Method},
		{"J,xz", "filter the archive through xz", xzMethod},
		{"lzma", "filter the archive through lzma", lzmaMethod},
		{"z,gzip,gunzip,ungzip", "filter the archive through gzip", gzipMethod},
		{"zstd", "filter the archive through zstd", zstdMethod},
	} {
		f.Do(o.names, o.help, func() error { j.method = o.method; return nil })
	}
	f.Bool(&j.auto, "a,auto-compress", "use archive suffix to determine the compression program")
	f.Count(&j.verbose, "v,verbose", "verbosely list files processed")
	f.Func("T,files-from", "get names to extract or create from `FILE`", func(name string) error { return j.filesFrom(name, &j.names.null) })
	f.Bool(&j.names.null, "null", "-T reads null-terminated names")
	f.Func("X,exclude-from", "exclude patterns listed in `FILE`", j.excludeFrom)
	f.Func("exclude", "exclude files, given as a `PATTERN`", func(p string) error { j.selection.exclude(p); return nil })
	f.Do("exclude-vcs", "exclude version control system directories", func() error {
		for _, name := range []string{".git", ".gitignore", ".gitattributes", ".gitmodules", ".hg", ".hgignore", ".svn", "CVS", ".bzr"} {
			j.selection.exclude(name)
		}
		return nil
	})
	f.Bool(&j.selection.wildcards, "wildcards", "use wildcards")
	f.Do("no-wildcards", "verbatim string matching", func() error { j.selection.wildcards, j.selection.literal = false, true; return nil })
	f.Bool(&j.names.absolute, "P,absolute-names", "don't strip leading '/'s from file names")
	f.Func("strip-components", "strip `NUMBER` leading components from file names on extraction", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return j.misuse(f, builtins.Usage("%s: Invalid number of elements", s))
		}
		j.names.strip = n
		return nil
	})
	f.Func("transform,xform", "use sed replace `EXPRESSION` to transform file names", func(s string) error {
		if err := j.names.transform(s); err != nil {
			return j.misuse(f, err)
		}
		return nil
	})
	f.Bool(&j.showTransformed, "show-transformed-names,show-stored-names", "show file or archive names after transformation")
	f.Bool(&j.numeric, "numeric-owner", "always use numbers for user/group names")
	f.Bool(&j.fullTime, "full-time", "print file time to its full resolution")
	f.Bool(&j.ignoreZeros, "i,ignore-zeros", "ignore zeroed blocks in archive (means EOF)")
}

func (j *tarJob) declareExtract(f *builtins.Flags) {
	yes, no := true, false
	f.Bool(&j.toStdout, "O,to-stdout", "extract files to standard output")
	f.Bool(&j.keep, "k,keep-old-files", "don't replace existing files when extracting, treat them as errors")
	f.Bool(&j.skipOld, "skip-old-files", "don't replace existing files when extracting, silently skip over them")
	f.Bool(&j.keepNewer, "keep-newer-files", "don't replace existing files that are newer than their archive copies")
	f.Bool(&j.overwrite, "overwrite", "overwrite existing files when extracting")
	f.Do("U,unlink-first", "remove each file prior to extracting over it", func() error { j.overwrite = false; return nil })
	f.Bool(&j.touch, "m,touch", "don't extract file modified time")
	f.Do("p,preserve-permissions,same-permissions", "extract information about file permissions", func() error { j.samePermissions = &yes; return nil })
	f.Do("no-same-permissions", "apply the user's umask when extracting permissions", func() error { j.samePermissions = &no; return nil })
	f.Do("same-owner", "try extracting files with the same ownership", func() error { j.sameOwner = &yes; return nil })
	f.Do("o,no-same-owner", "extract files as yourself", func() error { j.sameOwner = &no; return nil })
}

func (j *tarJob) declareStore(f *builtins.Flags) {
	f.Do("recursion", "recurse into directories (default)", func() error { j.recurse = true; return nil })
	f.Do("no-recursion", "avoid descending automatically in directories", func() error { j.recurse = false; return nil })
	f.Bool(&j.dereference, "h,dereference", "follow symlinks; archive and dump the files they point to")
	f.Bool(&j.removeFiles, "remove-files", "remove files after adding them to the archive")
	f.Func("owner", "force `NAME` as owner for added files", func(s string) error { j.owner = parseOwner(s); return nil })
	f.Func("group", "force `NAME` as group for added files", func(s string) error { j.group = parseOwner(s); return nil })
	f.Func("mtime", "set mtime for added files from `DATE-OR-FILE`", func(s string) (err error) { j.mtime, err = j.date(s); return err })
	f.Func("N,newer,after-date", "only store files newer than `DATE-OR-FILE`", func(s string) (err error) { j.newer, err = j.date(s); return err })
	f.Func("newer-mtime", "compare date and time when data changed only, with `DATE`", func(s string) (err error) { j.newer, err = j.date(s); return err })
	f.Func("mode", "force (symbolic) mode `CHANGES` for added files", func(s string) error {
		change, err := filemode.Parse(s)
		if err != nil {
			return j.misuse(f, builtins.Usage("Invalid mode given on option"))
		}
		j.chmod = &change
		return nil
	})
	f.Func("b,blocking-factor", "`BLOCKS` x 512 bytes per record", func(s string) error {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil || n < 1 {
			return j.misuse(f, builtins.Usage("%s: Invalid blocking factor", s))
		}
		j.record = n * 512
		return nil
	})
	sort := ""
	f.Enum(&sort, "sort", "sort", []string{"none", "name", "inode"}, "directory sorting `ORDER`; it is always by name here")
	f.Func("H,format", "create archive of the given `FORMAT`: gnu, oldgnu, pax, posix, ustar or v7", func(s string) error {
		switch s {
		case "gnu", "oldgnu", "pax", "posix", "ustar", "v7":
			j.format = s
			return nil
		}
		return j.misuse(f, builtins.Usage("%s: Invalid archive format", s))
	})
	f.Do("posix", "same as --format=posix", func() error { j.format = "posix"; return nil })
}
