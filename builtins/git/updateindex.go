package git

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// updateIndex is git update-index, for its most used options.
func (g *git) updateIndex(args []string) error {
	add, remove, refresh, forceRemove := false, false, false, false
	chmod, assume := "", ""
	var cacheInfo []string
	f := g.options("[<options>] [--] [<file>...]")
	f.bool(&add, "add")
	f.bool(&remove, "remove")
	f.bool(&forceRemove, "force-remove")
	f.bool(&refresh, "refresh,really-refresh")
	f.string(&chmod, "chmod")
	f.strings(&cacheInfo, "cacheinfo")
	f.do("assume-unchanged", func() { assume = "on" })
	f.do("no-assume-unchanged", func() { assume = "off" })
	f.ignore("q")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	for _, text := range cacheInfo {
		parts := strings.SplitN(text, ",", 3)
		if len(parts) != 3 {
			return fatal("option 'cacheinfo' expects <mode>,<sha1>,<path>")
		}
		mode, err := strconv.ParseUint(parts[0], 8, 32)
		h, ok := parseHash(parts[1])
		if err != nil || !ok {
			return fatalf("git update-index: --cacheinfo cannot add %s", parts[2])
		}
		if x.get(parts[2]) == nil && !add {
			return fatalf("git update-index: --cacheinfo cannot add %s", parts[2])
		}
		x.put(&indexEntry{path: parts[2], mode: uint32(mode), hash: h})
	}
	a := &adder{git: g, x: x}
	for _, name := range append(args, rest...) {
		full := strings.TrimPrefix(path.Join("/", g.repo.prefix, name), "/")
		e := x.get(full)
		info, err := g.FS.Lstat(g.full(full))
		switch {
		case forceRemove || err != nil && remove:
			x.remove(full)
			continue
		case assume != "" && e != nil:
			e.assume = assume == "on"
			continue
		case err != nil || e == nil && !add:
			fmt.Fprintf(g.Stderr, "error: %s: does not exist and --remove not passed\n", full)
			return fatalf("Unable to process path %s", full)
		}
		if err := a.put(full, modeOf(info)); err != nil {
			return err
		}
		if e := x.get(full); chmod != "" {
			e.mode = map[bool]uint32{true: modeExec, false: modeFile}[chmod == "+x"]
		}
	}
	return g.writeIndex(x)
}
