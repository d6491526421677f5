package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// entries is how many files the directory has that the benchmarks work in.
const entries = 10_000

// A fileWork is what is measured of a file system: do, which is called with 0,
// 1, …; before, if not nil, is called before each and not measured.
type fileWork struct {
	before, do func(i int) error
}

// A fileBench is a file system to be measured, and the directory in it that is
// free for that.
type fileBench struct {
	afero.Fs
	dir string
}

func (f fileBench) name(i int) string { return fmt.Sprintf("%s/d/f%05d", f.dir, i) }

// fill makes the directory, with its files, and returns their names.
func (f fileBench) fill(b *testing.B) []string {
	b.Helper()
	require.NoError(b, f.Mkdir(f.dir+"/d", 0o755))
	names := make([]string, entries)
	data := make([]byte, 100)
	for i := range names {
		names[i] = f.name(i)
		require.NoError(b, afero.WriteFile(f, names[i], data, 0o644))
	}
	return names
}

// spread returns a number below entries that differs from call to call, so that
// neighbours in time are none in place.
func spread(i int) int { return i * 7919 % entries }

// fileWorks are the operations. Each is for a file system that is empty yet.
var fileWorks = []struct {
	name  string
	turn  int // how many are done at a time
	begin func(b *testing.B, f fileBench) fileWork
}{
	{"create", 1000, func(b *testing.B, f fileBench) fileWork {
		f.fill(b)
		names := make([]string, b.N)
		for i := range names {
			names[i] = fmt.Sprintf("%s/d/g%07d", f.dir, i)
		}
		return fileWork{do: func(i int) error {
			file, err := f.Create(names[i])
			if err != nil {
				return err
			}
			return file.Close()
		}}
	}},
	{"stat", 1000, func(b *testing.B, f fileBench) fileWork {
		names := f.fill(b)
		return fileWork{do: func(i int) error {
			_, err := f.Stat(names[i%entries])
			return err
		}}
	}},
	{"stat of nothing", 1000, func(b *testing.B, f fileBench) fileWork {
		f.fill(b)
		name := f.dir + "/d/none"
		return fileWork{do: func(int) error {
			if _, err := f.Stat(name); err == nil {
				return io.ErrUnexpectedEOF
			}
			return nil
		}}
	}},
	{"open and read", 1000, func(b *testing.B, f fileBench) fileWork {
		names, p := f.fill(b), make([]byte, 512)
		return fileWork{do: func(i int) error {
			file, err := f.Open(names[i%entries])
			if err != nil {
				return err
			}
			if _, err := file.Read(p); err != nil {
				return err
			}
			return file.Close()
		}}
	}},
	{"open and write", 1000, func(b *testing.B, f fileBench) fileWork {
		names, p := f.fill(b), make([]byte, 100)
		return fileWork{do: func(i int) error {
			file, err := f.OpenFile(names[i%entries], os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			if _, err := file.Write(p); err != nil {
				return err
			}
			return file.Close()
		}}
	}},
	{"write 4 KiB", 1000, func(b *testing.B, f fileBench) fileWork {
		p := make([]byte, 4096)
		var file afero.File
		return fileWork{do: func(i int) (err error) {
			if i%(64<<20/4096) == 0 {
				if file, err = f.Create(f.dir + "/big"); err != nil {
					return err
				}
			}
			_, err = file.Write(p)
			return err
		}}
	}},
	{"readdir", 1, func(b *testing.B, f fileBench) fileWork {
		f.fill(b)
		return fileWork{do: func(int) error {
			file, err := f.Open(f.dir + "/d")
			if err != nil {
				return err
			}
			names, err := file.Readdirnames(-1)
			if err == nil && len(names) != entries {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return err
			}
			return file.Close()
		}}
	}},
	{"rename the directory", 1, func(b *testing.B, f fileBench) fileWork {
		f.fill(b)
		names := []string{f.dir + "/d", f.dir + "/other"}
		return fileWork{do: func(i int) error { return f.Rename(names[i%2], names[(i+1)%2]) }}
	}},
	{"remove the tree", 1, func(b *testing.B, f fileBench) fileWork {
		return fileWork{
			before: func(int) error { f.fill(b); return nil },
			do:     func(int) error { return f.RemoveAll(f.dir + "/d") },
		}
	}},
}

// BenchmarkFiles measures operations on a [vfs.Mem], and prints how many times as
// long an afero.MemMapFs takes, and tmpfs by way of package os. They take turns,
// so that what else the machine does hits all of them.
func BenchmarkFiles(b *testing.B) {
	for _, w := range fileWorks {
		b.Run(w.name, func(b *testing.B) {
			mem := vfs.NewMem(vfs.MemOptions{Storage: limits.Unlimited, Files: limits.Unlimited})
			ours := stopwatch{fileWork: w.begin(b, fileBench{mem, ""})}
			others := map[string]*stopwatch{
				"afero/ours": {fileWork: w.begin(b, fileBench{afero.NewMemMapFs(), ""})},
				"tmpfs/ours": {fileWork: w.begin(b, fileBench{afero.NewOsFs(), tmpfs(b)})},
			}
			for ours.n < b.N {
				n := min(w.turn, b.N-ours.n)
				ours.run(b, n)
				for _, o := range others {
					if o.spent < time.Second { // some would take minutes
						o.run(b, n)
					}
				}
			}
			for unit, o := range others {
				b.ReportMetric(o.each()/ours.each(), unit)
			}
			b.ReportMetric(ours.each(), "ns/op")
		})
	}
}

// A stopwatch times what it runs. What one takes is the median of the turns, so
// that it does not count when the machine does something else.
type stopwatch struct {
	fileWork
	n     int
	spent time.Duration
	turns []float64 // nanoseconds for one, in each
}

func (s *stopwatch) run(b *testing.B, n int) {
	if s.before != nil {
		require.NoError(b, s.before(s.n))
	}
	start := time.Now()
	for i := s.n; i < s.n+n; i++ {
		if err := s.do(i); err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(start)
	s.n, s.spent, s.turns = s.n+n, s.spent+took, append(s.turns, float64(took)/float64(n))
}

// each returns the nanoseconds that one takes.
func (s *stopwatch) each() float64 {
	slices.Sort(s.turns)
	return s.turns[len(s.turns)/2]
}

// tmpfs returns a directory in the memory of the host; where that has none, one
// on its disk.
func tmpfs(b *testing.B) string {
	dir, err := os.MkdirTemp("/dev/shm", "limpet")
	if err != nil {
		return b.TempDir()
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
