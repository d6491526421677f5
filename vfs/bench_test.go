package vfs_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/vfs"
)

// files is how many files the benchmarks that want many make, in directories of
// a thousand.
const files = 100_000

func fileName(i int) string { return fmt.Sprintf("/d%02d/f%05d", i/1000%(files/1000), i%files) }

// populate makes the files.
func populate(b *testing.B, fsys afero.Fs) []string {
	b.Helper()
	names := make([]string, files)
	data := make([]byte, 100)
	for i := range names {
		names[i] = fileName(i)
		if i%1000 == 0 {
			if err := fsys.MkdirAll(fmt.Sprintf("/d%02d", i/1000), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := afero.WriteFile(fsys, names[i], data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return names
}

// operations are what is measured. The returned function is called with 0, 1, …
var operations = []struct {
	name string
	make func(b *testing.B, fsys afero.Fs) func(i int) error
}{
	{"create", func(b *testing.B, fsys afero.Fs) func(int) error {
		names := make([]string, b.N)
		for i := range names {
			names[i] = fmt.Sprintf("/d/f%07d", i)
		}
		fsys.Mkdir("/d", 0o755)
		return func(i int) error {
			f, err := fsys.Create(names[i])
			if err != nil {
				return err
			}
			return f.Close()
		}
	}},
	{"stat", func(b *testing.B, fsys afero.Fs) func(int) error {
		names := populate(b, fsys)
		return func(i int) error {
			_, err := fsys.Stat(names[i%files])
			return err
		}
	}},
	{"stat ENOENT", func(b *testing.B, fsys afero.Fs) func(int) error {
		populate(b, fsys)
		return func(i int) error {
			if _, err := fsys.Stat("/d01/none"); err == nil {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
	}},
	{"read 100 B", func(b *testing.B, fsys afero.Fs) func(int) error {
		names := populate(b, fsys)
		p := make([]byte, 512)
		return func(i int) error {
			f, err := fsys.Open(names[i%files])
			if err != nil {
				return err
			}
			if _, err := f.Read(p); err != nil {
				return err
			}
			return f.Close()
		}
	}},
	{"readdir of 1000", func(b *testing.B, fsys afero.Fs) func(int) error {
		populate(b, fsys)
		return func(i int) error {
			f, err := fsys.Open(fmt.Sprintf("/d%02d", i%(files/1000)))
			if err != nil {
				return err
			}
			if _, err := f.Readdirnames(-1); err != nil {
				return err
			}
			return f.Close()
		}
	}},
	{"rename of 1000", func(b *testing.B, fsys afero.Fs) func(int) error {
		populate(b, fsys)
		names := []string{"/d00", "/other"}
		return func(i int) error { return fsys.Rename(names[i%2], names[(i+1)%2]) }
	}},
	{"write 4 KiB of 64 MiB", func(b *testing.B, fsys afero.Fs) func(int) error {
		p := make([]byte, 4096)
		var f afero.File
		return func(i int) (err error) {
			if i%(64<<20/4096) == 0 {
				if f, err = fsys.Create("/f"); err != nil {
					return err
				}
			}
			_, err = f.Write(p)
			return err
		}
	}},
	{"overwrite 4 KiB", func(b *testing.B, fsys afero.Fs) func(int) error {
		if err := afero.WriteFile(fsys, "/f", make([]byte, 64<<20), 0o644); err != nil {
			b.Fatal(err)
		}
		f, err := fsys.OpenFile("/f", vfs.O_RDWR, 0)
		if err != nil {
			b.Fatal(err)
		}
		p := make([]byte, 4096)
		return func(i int) error {
			_, err := f.WriteAt(p, int64(i%1000)*4096)
			return err
		}
	}},
}

// BenchmarkMem measures each operation on a Mem, and prints how many times as
// long afero.MemMapFs takes. The two take turns, so that what else the machine
// does hits both.
func BenchmarkMem(b *testing.B) {
	for _, op := range operations {
		b.Run(op.name, func(b *testing.B) {
			ours := op.make(b, vfs.NewMem(vfs.MemOptions{Storage: 1 << 30, Files: 1 << 30}))
			theirs := op.make(b, afero.NewMemMapFs())
			var spent, theirSpent time.Duration
			n := 0 // of theirs; those that take seconds are not all done
			b.ReportAllocs()
			b.ResetTimer()
			for from := 0; from < b.N; from += turn {
				to := min(from+turn, b.N)
				spent += run(b, ours, from, to)
				if theirSpent < time.Second {
					b.StopTimer()
					theirSpent += run(b, theirs, n, n+to-from)
					n += to - from
					b.StartTimer()
				}
			}
			b.ReportMetric(float64(theirSpent)/float64(n)/(float64(spent)/float64(b.N)), "afero/ours")
		})
	}
}

// turn is how many operations are done at a time.
const turn = 64

func run(b *testing.B, do func(int) error, from, to int) time.Duration {
	start := time.Now()
	for i := from; i < to; i++ {
		if err := do(i); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}
