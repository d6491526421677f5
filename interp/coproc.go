package interp

import (
	"io"
	"io/fs"
	"time"

	"github.com/limpet-sh/limpet/internal/pipe"
	"github.com/limpet-sh/limpet/vfs"
)

// coprocess runs a command in the background with pipes to its standard input
// and from its standard output, whose descriptors the array called name has.
// (bash manual, Coprocesses)
func (sh *Shell) coprocess(name, text string, run node) ctl {
	inR, inW := pipe.New()
	outR, outW := pipe.New()
	its := [2]*openFile{newOpenFile(inR), newOpenFile(outW)}
	j := sh.spawn(text, run, func(sub *Shell) {
		sub.setFD(0, its[0]).release()
		sub.setFD(1, its[1]).release()
	})
	if j == nil {
		return sh.take()
	}
	sh.jobs.add(j)
	read, write := 63, 60
	for read > 10 && sh.fd(read) != nil {
		read--
	}
	for write > 10 && (sh.fd(write) != nil || write == read) {
		write--
	}
	sh.setFD(read, newOpenFile(outR)).release()
	sh.setFD(write, newOpenFile(inW)).release()
	sh.storeList(sh.id(name), []string{itoa(int64(read)), itoa(int64(write))}, false)
	sh.set(name+"_PID", itoa(int64(j.pid)))
	sh.coprocs = append(sh.coprocs, coprocState{name: name, job: j, read: read, write: write})
	sh.bg, sh.status = j.pid, 0
	return ctlNone
}

// A coprocState is a coprocess that the shell has not yet noticed to have ended.
type coprocState struct {
	name        string
	job         *job
	read, write int
}

// reapCoproc unsets the variables of a coprocess that has been waited for, and
// closes its descriptors.
func (sh *Shell) reapCoproc(j *job) {
	for i, c := range sh.coprocs {
		if c.job != j {
			continue
		}
		sh.setFD(c.read, nil).release()
		sh.setFD(c.write, nil).release()
		sh.unsetVariable(sh.id(c.name))
		sh.unsetVariable(sh.id(c.name + "_PID"))
		sh.coprocs = append(sh.coprocs[:i:i], sh.coprocs[i+1:]...)
		return
	}
}

// nullStream is /dev/null.
type nullStream struct{}

// Read finds the end of the file at once.
func (nullStream) Read([]byte) (int, error) { return 0, io.EOF }

// Write forgets b.
func (nullStream) Write(b []byte) (int, error) { return len(b), nil }

// Close does nothing.
func (nullStream) Close() error { return nil }

// Stat describes the device.
func (nullStream) Stat() (fs.FileInfo, error) { return nullInfo{}, nil }

type nullInfo struct{}

func (nullInfo) Name() string       { return "null" }
func (nullInfo) Size() int64        { return 0 }
func (nullInfo) Mode() fs.FileMode  { return fs.ModeDevice | fs.ModeCharDevice | 0o666 }
func (nullInfo) ModTime() time.Time { return time.Time{} }
func (nullInfo) IsDir() bool        { return false }
func (nullInfo) Sys() any           { return &vfs.Stat{Nlink: 1, Rdev: vfs.Dev(1, 3)} }
