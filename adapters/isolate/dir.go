//go:build linux

package isolate

import (
	"fmt"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
)

// openDirs opens directories of the host for a shell, which gets one Quota with what is
// written above them.
func openDirs(dirs []Dir, cfg *limpet.Config) (list []limpet.Mount, err error) {
	cfg.Quota = vfs.NewQuota(vfs.QuotaOptions{}.Within(cfg.Limits))
	user := vfs.User{UID: cfg.User.UID, GID: cfg.User.GID, Groups: cfg.User.Groups}
	if cfg.User.Name == "" {
		user = vfs.User{UID: 1000, GID: 1000} // as a shell has it
	}
	for _, d := range dirs {
		if d.Mode > ReadWrite {
			return nil, fmt.Errorf("directory %s: no mode %d", d.Host, d.Mode)
		}
		host, err := hostdir.Open(d.Host, hostdir.Options{
			ReadOnly: d.Mode != ReadWrite, UID: user.UID, GID: user.GID, Sensitive: d.Sensitive, Quota: cfg.Quota,
		})
		if err != nil {
			return nil, err
		}
		m := limpet.Mount{Path: d.Path, FS: host}
		if d.Mode == CopyOnWrite {
			if m.FS, err = vfs.NewOverlay(host, vfs.MemOptions{User: user, Quota: cfg.Quota}.Within(cfg.Limits)); err != nil {
				return nil, err
			}
		}
		list = append(list, m)
	}
	return list, nil
}
