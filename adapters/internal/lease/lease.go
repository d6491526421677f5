// Package lease keeps what a sandbox leaves on this machine in a directory that
// others recognize as abandoned when its owner has ended, in whatever way.
//
// The owner holds a lock on a file of the directory for as long as it lives, which
// the kernel lets go when it dies. Nothing looks at a clock, which somebody may step.
package lease

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Lease is a directory with an owner.
type Lease struct {
	ID  string // unique, of letters and digits
	Dir string // absolute, without symbolic links

	lock *os.File
}

const (
	lockName   = "owner.lock"
	recordName = "record.json"

	// changingSuffix is that of a file beside the directories. Who makes or removes one
	// shares a lock on it, so that nobody takes one without an owner for an orphan then.
	changingSuffix = ".changing"
)

// Base returns the directory of a kind of sandboxes, in the user's cache.
func Base(kind string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	base := filepath.Join(cache, "limpet", kind)
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(base)
}

// New makes a directory below base, and takes it.
func New(base string) (*Lease, error) {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	unlock, err := changing(base, lockShared)
	if err != nil {
		return nil, err
	}
	defer unlock()
	l := &Lease{ID: hex.EncodeToString(random[:])}
	l.Dir = filepath.Join(base, l.ID)
	if err := os.Mkdir(l.Dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(l.Dir, lockName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		if err = lock(f); err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(l.Dir))
	}
	l.lock = f
	return l, nil
}

// Record keeps a value in the directory, for whoever cleans up after the owner.
func (l *Lease) Record(value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	name := filepath.Join(l.Dir, recordName)
	if err := os.WriteFile(name+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Recorded reads the value back. It fails with [fs.ErrNotExist] where there is none.
func (l *Lease) Recorded(value any) error {
	data, err := os.ReadFile(filepath.Join(l.Dir, recordName))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, value)
}

// changing takes the lock beside the directories, and returns what gives it back.
func changing(base string, lock func(*os.File) error) (unlock func(), err error) {
	f, err := os.OpenFile(base+changingSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // nothing was written
}

// End removes the directory and what is in it.
func (l *Lease) End() error {
	entries, err := os.ReadDir(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		if e.Name() != lockName { // which goes last
			err = errors.Join(err, RemoveAll(filepath.Join(l.Dir, e.Name())))
		}
	}
	unlock, lockErr := changing(filepath.Dir(l.Dir), lockShared)
	if lockErr != nil {
		return errors.Join(err, lockErr)
	}
	defer unlock()
	err = errors.Join(err, RemoveAll(l.Dir))
	if l.lock != nil {
		err = errors.Join(err, l.lock.Close())
		l.lock = nil
	}
	return err
}

// Release lets go of the directory and leaves it there.
func (l *Lease) Release() error {
	lock := l.lock
	l.lock = nil
	return lock.Close()
}

// Orphans takes the directories below base whose owners have ended.
func Orphans(base string) ([]*Lease, error) {
	if _, err := os.Stat(base); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unlock, err := changing(base, lockAlone) // what has no owner now has lost it
	if err != nil {
		return nil, err
	}
	defer unlock()
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil, err
	}
	var orphans []*Lease
	for _, e := range entries {
		l := &Lease{ID: e.Name(), Dir: filepath.Join(base, e.Name())}
		f, err := os.OpenFile(filepath.Join(l.Dir, lockName), os.O_RDWR, 0)
		switch {
		case err != nil && e.IsDir():
			orphans = append(orphans, l)
		case err != nil:
		case lock(f) != nil:
			_ = f.Close()
		default:
			l.lock = f
			orphans = append(orphans, l)
		}
	}
	return orphans, nil
}

// RemoveAll is [os.RemoveAll] that also removes directories that their owner may
// not write to.
func RemoveAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Type()&fs.ModeSymlink == 0 {
			_ = os.Chmod(name, 0o700) // what cannot be changed fails below
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("cannot remove what the sandbox has left: %w", err)
	}
	return nil
}

// Reap calls clean for each directory of a kind of sandbox whose owner has died, and
// returns how many it has cleaned up. What it could not stays for the next time.
func Reap(kind string, clean func(*Lease) error) (int, error) {
	base, err := Base(kind)
	if err != nil {
		return 0, err
	}
	orphans, err := Orphans(base)
	if err != nil {
		return 0, err
	}
	var errs []error
	n := 0
	for _, l := range orphans {
		if err := clean(l); err != nil {
			errs = append(errs, err, l.Release())
			continue
		}
		n++
	}
	return n, errors.Join(errs...)
}
