package digest

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"io"

	"golang.org/x/crypto/blake2b"

	"github.com/limpet-sh/limpet/builtins"
)

// An algorithm is a message digest.
type algorithm struct {
	tag  string // what lines of the BSD kind call it
	bits int    // the length of the digest, or the greatest where that varies
	new  func(bits int) hash.Hash
}

// algorithms has the message digests by the names that cksum -a takes.
var algorithms = map[string]*algorithm{
	"md5":     {"MD5", 128, func(int) hash.Hash { return md5.New() }},
	"sha1":    {"SHA1", 160, func(int) hash.Hash { return sha1.New() }},
	"sha224":  {"SHA224", 224, func(int) hash.Hash { return sha256.New224() }},
	"sha256":  {"SHA256", 256, func(int) hash.Hash { return sha256.New() }},
	"sha384":  {"SHA384", 384, func(int) hash.Hash { return sha512.New384() }},
	"sha512":  {"SHA512", 512, func(int) hash.Hash { return sha512.New() }},
	"blake2b": {"BLAKE2b", 512, newBlake2b},
	"sm3":     {"SM3", 256, func(int) hash.Hash { return newSM3() }},
}

func newBlake2b(bits int) hash.Hash {
	h, err := blake2b.New(bits/8, nil)
	if err != nil {
		panic("digest: " + err.Error())
	}
	return h
}

// variable reports whether the digest may have several lengths.
func (a *algorithm) variable() bool { return a.tag == "BLAKE2b" }

// sum returns the digest of r, of so many bits.
func (a *algorithm) sum(c *builtins.Call, r io.Reader, bits int) ([]byte, error) {
	h := a.new(bits)
	if _, err := feed(c, h, r); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

// bufferSize is how much is read at a time.
const bufferSize = 64 << 10

// feed writes r to w, and returns how much that was. It counts as work.
func feed(c *builtins.Call, w io.Writer, r io.Reader) (int64, error) {
	if err := c.Alloc(bufferSize); err != nil {
		return 0, err
	}
	defer c.Free(bufferSize)
	buf := make([]byte, bufferSize)
	var total int64
	for {
		n, err := r.Read(buf)
		total += int64(n)
		if err := c.Poll(1 + n>>8); err != nil {
			return total, err
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return total, err
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}
