//go:build !linux && !darwin

package hostdir

import (
	"io/fs"
	"os"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// hostStat adds nothing to what every host tells of a file.
func hostStat(*vfs.Stat, fs.FileInfo) {}

// statFS fails: there is no portable way to ask.
func statFS(*os.File) (vfs.StatFS, error) { return vfs.StatFS{}, vfs.ENOSYS }

// linkTimes fails: there is no portable way to set the times of a link.
func linkTimes(*os.File, string, time.Time, time.Time) error { return vfs.EOPNOTSUPP }
