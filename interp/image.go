package interp

import "github.com/limpet-sh/limpet/vfs"

// An Image is the state of a [Shell] between two runs: variables, functions,
// options, aliases, the directory and its stack, and what else lasts from one run
// to the next. It does not change and is safe for concurrent use.
type Image struct{ sh *Shell }

// Freeze makes an image of sh, which must not be used any more. It takes the same
// short time whatever sh holds.
func (sh *Shell) Freeze() *Image {
	sh.x, sh.proc, sh.parent = nil, nil, nil
	sh.dead, sh.substJob, sh.jobs, sh.coprocs = nil, nil, jobList{}, nil
	sh.fds, sh.substFDs = nil, nil
	sh.args, sh.outBuf, sh.spare = nil, nil, nil
	sh.params, sh.listed = nil, nil
	if !sh.interactive() {
		sh.traps = nil
	}
	sh.matcher = cachedMatcher{}
	return &Image{sh}
}

// Shell returns a shell of cfg that goes on from the image. The values of
// variables are shared until it writes them.
func (i *Image) Shell(cfg *Config) *Shell {
	sh := new(Shell)
	*sh = *i.sh
	sh.cfg = cfg
	sh.names = i.sh.names.above()
	sh.owner = sh.names.owners.Add(1)
	sh.unshare()
	return sh
}

// Dir returns the working directory.
func (i *Image) Dir() string { return i.sh.dir }

// WithFS returns a copy of cfg with another file system. It is for shells of
// images as much as for new ones.
func (cfg *Config) WithFS(fsys vfs.FS) *Config {
	return &Config{
		FS: fsys, Clock: cfg.Clock, Rand: cfg.Rand, User: cfg.User, Host: cfg.Host, Network: cfg.Network,
		Command: cfg.Command, Unavailable: cfg.Unavailable,
	}
}
