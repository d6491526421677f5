package fuzz

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
)

// Archives writes scripts that unpack an archive that lies: about names, sizes, links, owners, or
// in any of its bytes.
type Archives struct{ Seed uint64 }

// Script returns the script with the number n.
func (a Archives) Script(n uint64) string {
	r := rand.New(rand.NewPCG(a.Seed, n))
	var data []byte
	var use []string
	if r.IntN(3) == 0 {
		data, use = zipped(r), []string{"unzip -o f", "unzip -l f", "unzip -p f", "unzip -t f"}
	} else {
		data = tarred(r)
		use = []string{"tar -xf f", "tar -tvf f", "tar -xPf f", "tar -xOf f", "tar -xpf f --strip-components=1", "cpio -idv < f", "tar -df f", "tar -rf f /etc/passwd"}
	}
	if r.IntN(3) == 0 {
		data = compressed(data)
		use = []string{"tar -xzf f", "gunzip -c f", "gzip -t f", "zcat f | tar -tf -", "mv f f.gz; gunzip f.gz"}
	}
	if r.IntN(2) == 0 {
		data = Mutate(r, data)
	}
	return fmt.Sprintf("base64 -d > f << 'E'\n%s\nE\nmkdir in; cd in; ln -s .. up; cp ../f .\n%s\nfind . | head; cat * ../*\n",
		base64.StdEncoding.EncodeToString(data), use[r.IntN(len(use))])
}

// memberNames are names of members.
var memberNames = []string{
	"a", "d/a", "../a", "../../etc/passwd", "/etc/passwd", "/workspace/b", "l", "l/x", "./l/../../x", "up/x", ".", "", "..", "d/", "a\nb", "\x1b[2J", "-rf",
	strings.Repeat("x", 300), strings.Repeat("d/", 2000) + "x", "C:\\x", "a\x00b", "é", "\xff", "/dev/zero", "/proc/self/mem", "in", "f",
}

func memberName(r *rand.Rand) string { return memberNames[r.IntN(len(memberNames))] }

// memberSizes are sizes that members claim to have.
var memberSizes = []int64{0, 1, 511, 512, 513, 1 << 20, 1 << 31, 1 << 40, 1<<62 - 1}

// tarred returns a tar archive.
func tarred(r *rand.Rand) []byte {
	var b bytes.Buffer
	for range 1 + r.IntN(6) {
		w := tar.NewWriter(&b)
		data := bytes.Repeat([]byte("x"), r.IntN(2000))
		h := &tar.Header{
			Name: memberName(r), Mode: int64(r.IntN(1 << 12)), Uid: r.IntN(3) * 1000, Size: int64(len(data)), Format: tar.Format(1 << (1 + r.IntN(3))),
			Typeflag: []byte{tar.TypeReg, tar.TypeReg, tar.TypeSymlink, tar.TypeLink, tar.TypeDir, tar.TypeFifo, tar.TypeChar, tar.TypeBlock}[r.IntN(8)],
			Linkname: memberName(r), Uname: "root",
		}
		if h.Typeflag != tar.TypeReg {
			h.Size, data = 0, nil
		}
		if r.IntN(8) == 0 {
			h.Size = memberSizes[r.IntN(len(memberSizes))]
		}
		if w.WriteHeader(h) == nil { // names that a format cannot have are left out
			_, _ = w.Write(data)
			_ = w.Flush()
		}
	}
	if r.IntN(3) > 0 {
		_ = tar.NewWriter(&b).Close()
	}
	return b.Bytes()
}

// zipped returns a zip archive.
func zipped(r *rand.Rand) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for range 1 + r.IntN(6) {
		h := &zip.FileHeader{Name: memberName(r), Method: uint16(r.IntN(2) * 8)}
		h.SetMode(fs.FileMode(r.IntN(1<<9)) | []fs.FileMode{0, 0, 0, fs.ModeSymlink, fs.ModeDir, fs.ModeNamedPipe, fs.ModeSetuid}[r.IntN(7)])
		if r.IntN(4) == 0 {
			h.CompressedSize64 = uint64(r.IntN(100))
			h.UncompressedSize64 = uint64(memberSizes[r.IntN(len(memberSizes))])
			if f, err := w.CreateRaw(h); err == nil {
				_, _ = f.Write(make([]byte, r.IntN(100)))
			}
			continue
		}
		if f, err := w.CreateHeader(h); err == nil {
			_, _ = f.Write(bytes.Repeat([]byte(memberName(r)+"\n"), r.IntN(20_000)))
		}
	}
	_ = w.Close()
	return b.Bytes()
}

// compressed returns data as gzip packs it.
func compressed(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}
