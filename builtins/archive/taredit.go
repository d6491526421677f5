package archive

import (
	"archive/tar"
	"io"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/vfs"
)

// A tarSpan is where a member is in an archive, with its headers and padding.
type tarSpan struct {
	name       string
	begin, end int64
}

// spans calls do for each member of the archive that r reads from its start, and
// returns where the last one ends.
func (j *tarJob) spans(in io.Reader, do func(tarSpan) error) (end int64, err error) {
	from := &counter{Reader: polled{in, j.call}}
	r := tar.NewReader(from)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return end, nil
		}
		if err != nil {
			return end, j.badArchive(err)
		}
		if _, err := transfer(j.call, io.Discard, r); err != nil {
			return end, j.badArchive(err)
		}
		s := tarSpan{h.Name, end, (from.n + 511) &^ 511}
		if err := do(s); err != nil {
			return end, err
		}
		end = s.end
	}
}

// edit opens the archive, to change it where it is.
func (j *tarJob) edit() (afero.File, error) {
	if j.method != nil || j.program != "" {
		return nil, j.fatal("Cannot update compressed archives")
	}
	f, err := j.call.FS.OpenFile(j.archive, vfs.O_RDWR, 0)
	if err != nil {
		return nil, j.fatal("%s: Cannot open: %v", j.archive, openError(err))
	}
	return f, nil
}

// deleteMembers takes members out of the archive: what is behind them moves up.
func (j *tarJob) deleteMembers() error {
	f, err := j.edit()
	if err != nil {
		return err
	}
	defer f.Close()
	want := j.wanted()
	to := int64(0)
	_, err = j.spans(f, func(s tarSpan) error {
		if _, ok := choose(want, s.name, j.occurrence); ok && len(want) > 0 {
			return nil
		}
		if to == s.begin {
			to = s.end
			return nil
		}
		read := io.NewSectionReader(f, s.begin, s.end-s.begin)
		n, err := transfer(j.call, io.NewOffsetWriter(f, to), read)
		to += n
		return err
	})
	if err != nil {
		return err
	}
	for _, w := range want {
		if !w.found {
			j.notFound(w)
		}
	}
	return j.endAt(f, to, 1024)
}

// endAt makes an archive end behind its first n bytes, with some zeros and what
// else a whole record takes. GNU's tar keeps those that an archive it adds has.
func (j *tarJob) endAt(f afero.File, n, zeros int64) error {
	size := n + max(zeros, 1024)
	if rest := size % j.record; rest > 0 {
		size += j.record - rest
	}
	if err := f.Truncate(n); err != nil {
		return err
	}
	return f.Truncate(size)
}

// concatenate adds the members of other archives.
func (j *tarJob) concatenate() error {
	f, err := j.edit()
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := j.spans(f, func(tarSpan) error { return nil })
	if err != nil {
		return err
	}
	padding := int64(0)
	for _, o := range j.operands {
		other, err := o.dir.Open(o.name)
		if err != nil {
			j.warn("%s: Cannot open: %v", o.name, openError(err))
			continue
		}
		n, err := j.spans(other, func(tarSpan) error { return nil })
		if info, statErr := other.Stat(); statErr == nil {
			padding = max(info.Size()-n, 0)
		}
		if err == nil {
			_, err = transfer(j.call, io.NewOffsetWriter(f, end), io.NewSectionReader(other, 0, n))
		}
		other.Close()
		if err != nil {
			return err
		}
		end += n
	}
	return j.endAt(f, end, padding)
}
