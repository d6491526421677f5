package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/limpet-sh/limpet"
)

// exec runs the script: in a session if one is to be loaded or saved.
func (f *runFlags) exec(ctx context.Context, sh *limpet.Shell, req limpet.Request) (*limpet.Result, error) {
	if f.load == "" && f.save == "" {
		return sh.Exec(ctx, req)
	}
	s, err := sh.NewSession(ctx, limpet.SessionOptions{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if f.load != "" {
		if err := loadSession(s, f.load); err != nil {
			return nil, fmt.Errorf("cannot load %s: %w", f.load, err)
		}
		req.Dir, req.Env = f.cwd, f.variables
	}
	res, err := s.Exec(ctx, req)
	if err == nil && f.save != "" {
		if err := saveSession(s, f.save); err != nil {
			return nil, fmt.Errorf("cannot save %s: %w", f.save, err)
		}
	}
	return res, err
}

// loadSession makes s what a file of the host says.
func loadSession(s *limpet.Session, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return errors.Unwrap(err)
	}
	defer file.Close()
	c, err := s.Shell().Load(bufio.NewReaderSize(file, 1<<20), nil)
	if err != nil {
		return err
	}
	return s.Restore(c)
}

// saveSession writes s to a file of the host, which is there only once it is whole.
func saveSession(s *limpet.Session, name string) error {
	c, err := s.Checkpoint()
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // or it has its name
	err = errors.Join(c.Save(file, nil), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	return err
}
