package vfstest

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// A model is what a file system is supposed to be, in the plainest form: a map
// from the path of each file to the file. Only user 0 uses it.
type model struct {
	files  map[string]*modelFile
	points []string // directories that file systems are mounted on
}

type modelFile struct {
	mode   fs.FileMode
	data   []byte
	target string
}

func newModel(points []string) *model {
	m := &model{map[string]*modelFile{"/": {mode: fs.ModeDir | 0o755}}, points}
	for _, p := range points {
		m.files[p] = &modelFile{mode: fs.ModeDir | 0o755}
	}
	return m
}

// device returns where the file system is mounted that holds a path.
func (m *model) device(path string) string {
	at := "/"
	for _, p := range m.points {
		if (path == p || strings.HasPrefix(path, p+"/")) && len(p) > len(at) {
			at = p
		}
	}
	return at
}

// covered reports whether a file system is mounted at a path or below it.
func (m *model) covered(path string) bool {
	return slices.ContainsFunc(m.points, func(p string) bool { return p == path || strings.HasPrefix(p, path+"/") })
}

// A spot is where a name leads in a model.
type spot struct {
	path  string
	dir   string     // that the last component was looked for in
	file  *modelFile // nil for nothing
	last  string     // the last component: "" for the root
	slash bool       // something says that it is a directory
}

func (s *spot) special() bool { return s.last == "" || s.last == "." || s.last == ".." }

// modelLinks is how many symbolic links are followed.
const modelLinks = 40

// walk resolves name. A symbolic link at the end is followed if follow says so, or
// if slashed does and a slash stands behind it, where nothing can be made if creates
// says that.
func (m *model) walk(name string, follow, slashed, creates bool) (s spot, err error) {
	s = spot{path: "/", dir: "/", file: m.files["/"]}
	links := 0
	for rest := strings.TrimLeft(name, "/"); rest != ""; {
		switch {
		case s.file == nil:
			return s, vfs.ENOENT
		case !s.file.mode.IsDir():
			return s, vfs.ENOTDIR
		}
		part, tail, slash := strings.Cut(rest, "/")
		rest = strings.TrimLeft(tail, "/")
		s.dir, s.last, s.slash = s.path, part, slash
		switch part {
		case ".":
			continue
		case "..":
			s.path = above(s.dir)
		default:
			s.path = below(s.dir, part)
		}
		s.file = m.files[s.path]
		if s.file == nil || s.file.mode&fs.ModeSymlink == 0 || rest == "" && !follow && !(slashed && slash) {
			continue
		}
		if creates && rest == "" && slash {
			return s, vfs.EISDIR
		}
		if links++; links > modelLinks {
			return s, vfs.ELOOP
		}
		s.path = s.dir
		if strings.HasPrefix(s.file.target, "/") {
			s.path, s.last = "/", ""
		}
		if rest = s.file.target; slash {
			rest += "/" + tail
		}
		rest = strings.TrimLeft(rest, "/")
		s.file = m.files[s.path]
	}
	return s, nil
}

// find is walk to what is there.
func (m *model) find(name string, follow, slashed bool) (spot, error) {
	s, err := m.walk(name, follow, slashed, false)
	switch {
	case err != nil:
	case s.file == nil:
		err = vfs.ENOENT
	case s.slash && !s.file.mode.IsDir():
		err = vfs.ENOTDIR
	}
	return s, err
}

func above(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 1)] }

func below(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }

// inside returns the paths below a directory.
func (m *model) inside(dir string) (list []string) {
	for p := range m.files {
		if p != "/" && strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/") {
			list = append(list, p)
		}
	}
	return list
}

// step does what a line of a script says.
func (m *model) step(a []string) (string, error) {
	a = append(slices.Clone(a), "", "")
	switch a[0] {
	case "mkdir":
		return "", m.create(a[1], true, &modelFile{mode: fs.ModeDir | mode(a[2], 0o755)})
	case "symlink":
		return "", m.create(a[2], false, &modelFile{mode: fs.ModeSymlink | fs.ModePerm, target: a[1]})
	case "ln":
		return "", m.link(a[1], a[2])
	case "mv":
		return "", m.rename(a[1], a[2])
	case "rm":
		return "", m.remove(a[1], false)
	case "rmall":
		if err := m.remove(a[1], true); err != vfs.ENOENT {
			return "", err
		}
		return "", nil
	case "write":
		return "", m.open(a[1], true, func(f *modelFile) { f.data = []byte(a[2]) })
	case "append":
		return "", m.open(a[1], true, func(f *modelFile) { f.data = append(slices.Clone(f.data), a[2]...) })
	case "cut":
		return "", m.open(a[1], false, func(f *modelFile) { f.data = sized(f.data, number(a[2])) })
	case "poke":
		return "", m.open(a[1], false, func(f *modelFile) {
			f.data = sized(f.data, max(len(f.data), number(a[2])+len(a[3])))
			copy(f.data[number(a[2]):], a[3])
		})
	}
	return m.look(a)
}

func sized(data []byte, n int) []byte {
	grown := make([]byte, n)
	copy(grown, data)
	return grown
}

// look does what changes nothing, or modes alone.
func (m *model) look(a []string) (string, error) {
	switch a[0] {
	case "chmod":
		s, err := m.find(a[2], true, true)
		if err == nil {
			s.file.mode = s.file.mode.Type() | mode(a[1], 0)
		}
		return "", err
	case "cat":
		s, err := m.find(a[1], true, true)
		switch {
		case err != nil:
			return "", err
		case s.file.mode.IsDir():
			return "", vfs.EISDIR
		}
		return visible(s.file.data), nil
	case "readlink":
		s, err := m.find(a[1], false, true)
		if err == nil && s.file.mode&fs.ModeSymlink == 0 {
			err = vfs.EINVAL
		}
		if err != nil {
			return "", err
		}
		return s.file.target, nil
	case "stat", "lstat":
		s, err := m.find(a[1], a[0] == "stat", true)
		if err != nil {
			return "", err
		}
		return m.describe(s), nil
	case "ls":
		return m.list(a[1])
	}
	panic(fmt.Sprintf("no operation %q", a[0]))
}

func (m *model) describe(s spot) string {
	size, links := len(s.file.data)+len(s.file.target), 0
	for _, f := range m.files {
		if f == s.file {
			links++
		}
	}
	if s.file.mode.IsDir() {
		size, links = 4096, 2
		for _, p := range m.inside(s.path) {
			if above(p) == s.path && m.files[p].mode.IsDir() {
				links++
			}
		}
	}
	return s.file.mode.String() + " " + strconv.Itoa(size) + " " + strconv.Itoa(links)
}

func (m *model) list(name string) (string, error) {
	s, err := m.find(name, true, true)
	if err == nil && !s.file.mode.IsDir() {
		err = vfs.ENOTDIR
	}
	if err != nil {
		return "", err
	}
	var words []string
	for _, p := range slices.Sorted(maps.Keys(m.files)) {
		if p == "/" || above(p) != s.path {
			continue
		}
		word := p[strings.LastIndexByte(p, '/')+1:]
		if typ := m.files[p].mode.Type(); typ != 0 {
			word += typ.String()[:1]
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, " "), nil
}

func (m *model) create(name string, directory bool, f *modelFile) error {
	s, err := m.walk(name, false, false, false)
	switch {
	case err != nil:
		return err
	case s.file != nil:
		return vfs.EEXIST
	case s.slash && !directory:
		return vfs.ENOENT
	}
	m.files[s.path] = f
	return nil
}

func (m *model) link(oldname, newname string) error {
	old, err := m.find(oldname, false, true)
	if err != nil {
		return err
	}
	s, err := m.walk(newname, false, false, false)
	switch {
	case err != nil:
		return err
	case s.file != nil:
		return vfs.EEXIST
	case s.slash:
		return vfs.ENOENT
	case m.device(old.path) != m.device(above(s.path)):
		return vfs.EXDEV
	case old.file.mode.IsDir():
		return vfs.EPERM
	}
	m.files[s.path] = old.file
	return nil
}

// open changes the file name, which it makes if create says so.
func (m *model) open(name string, create bool, change func(f *modelFile)) error {
	s, err := m.walk(name, true, true, create)
	switch {
	case err != nil:
		return err
	case create && s.slash, s.file != nil && s.file.mode.IsDir():
		return vfs.EISDIR
	case s.file == nil && !create:
		return vfs.ENOENT
	case s.slash && !create:
		return vfs.ENOTDIR
	case s.file == nil:
		s.file = &modelFile{mode: 0o644}
		m.files[s.path] = s.file
	}
	change(s.file)
	return nil
}

func (m *model) remove(name string, all bool) error {
	s, err := m.find(name, false, false)
	if err != nil {
		return err
	}
	switch s.last {
	case "":
		return vfs.EBUSY
	case ".":
		return vfs.EINVAL
	case "..":
		return vfs.ENOTEMPTY
	}
	if m.covered(s.path) {
		return vfs.EBUSY
	}
	list := m.inside(s.path)
	if len(list) > 0 && !all {
		return vfs.ENOTEMPTY
	}
	for _, p := range append(list, s.path) {
		delete(m.files, p)
	}
	return nil
}

func (m *model) rename(oldname, newname string) error {
	from, err := m.walk(oldname, false, false, false)
	if err != nil {
		return err
	}
	to, err := m.walk(newname, false, false, false)
	if err != nil {
		return err
	}
	switch {
	case m.device(from.dir) != m.device(to.dir):
		return vfs.EXDEV
	case from.special(), to.special():
		return vfs.EBUSY
	case from.file == nil:
		return vfs.ENOENT
	}
	fromDir, toDir := from.file.mode.IsDir(), to.file != nil && to.file.mode.IsDir()
	switch {
	case !fromDir && (from.slash || to.slash):
		return vfs.ENOTDIR
	case fromDir && strings.HasPrefix(to.path, from.path+"/"):
		return vfs.EINVAL
	case from.file == to.file:
		return nil
	case toDir && strings.HasPrefix(from.path, to.path+"/"):
		return vfs.ENOTEMPTY
	case fromDir && to.file != nil && !toDir:
		return vfs.ENOTDIR
	case !fromDir && toDir:
		return vfs.EISDIR
	case m.covered(from.path), m.covered(to.path):
		return vfs.EBUSY
	case toDir && len(m.inside(to.path)) > 0:
		return vfs.ENOTEMPTY
	}
	for _, p := range append(m.inside(from.path), from.path) {
		m.files[to.path+p[len(from.path):]] = m.files[p]
		delete(m.files, p)
	}
	return nil
}
