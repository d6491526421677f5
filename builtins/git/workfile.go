package git

import "github.com/limpet-sh/limpet/vfs"

// workFiles returns the files of the working tree that are in the index.
func (g *git) workFiles(x *index) ([]file, error) {
	trust := g.configBool("core.filemode", true)
	var list []file
	for _, e := range x.entries {
		if e.stage > 1 {
			continue
		}
		if err := g.Poll(1); err != nil {
			return nil, err
		}
		f, ok, err := g.workFile(x, e, trust)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, f)
		}
	}
	return list, nil
}

// workFile returns the file in the working tree that an entry of the index is of.
func (g *git) workFile(x *index, e *indexEntry, trust bool) (file, bool, error) {
	if e.mode == modeGitlink || e.assume {
		return file{path: e.path, mode: e.mode, hash: e.hash}, true, nil
	}
	info, err := g.FS.Lstat(g.full(e.path))
	if err != nil || modeOf(info) == 0 {
		return file{}, false, nil
	}
	f := file{path: e.path, mode: modeOf(info), hash: e.hash, work: true}
	if !trust && f.mode != modeLink && e.mode != modeLink {
		f.mode = e.mode
	}
	if x.fresh(e, info) && f.mode == e.mode {
		f.work = false
		return f, true, nil
	}
	data, err := g.workData(e.path)
	if err != nil {
		return file{}, false, err
	}
	defer g.Free(len(data))
	f.hash = hashOf("blob", data)
	return f, true, nil
}

// workData returns the content that a file of the working tree has as a blob. The
// caller frees its memory.
func (g *git) workData(name string) ([]byte, error) {
	full := g.full(name)
	info, err := g.FS.Lstat(full)
	if err != nil {
		return nil, fatalf("failed to read %s: %v", name, vfs.ErrnoOf(err))
	}
	if modeOf(info) == modeLink {
		text, err := g.FS.Readlink(full)
		if err == nil {
			err = g.Alloc(len(text))
		}
		return []byte(text), err
	}
	if err := g.Poll(1 + int(info.Size()>>12)); err != nil {
		return nil, err
	}
	if err := g.Alloc(int(info.Size())); err != nil {
		return nil, err
	}
	data, err := vfs.ReadFile(g.FS, full)
	if err != nil {
		g.Free(int(info.Size()))
		return nil, mistakef("open(\"%s\"): %v", name, vfs.ErrnoOf(err))
	}
	g.Free(int(info.Size()) - len(data))
	return data, nil
}
