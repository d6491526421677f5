package tools

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// magic is what files of a type begin with; a dot stands for any byte.
var magic = []struct{ prefix, mime string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF8", "image/gif"},
	{"RIFF....WEBP", "image/webp"},
	{"BM", "image/bmp"},
	{"%PDF-", "application/pdf"},
	{"PK\x03\x04", "application/zip"},
	{"\x1f\x8b", "application/gzip"},
	{"\xfd7zXZ\x00", "application/x-xz"},
	{"BZh", "application/x-bzip2"},
	{"\x28\xb5\x2f\xfd", "application/zstd"},
	{"\x7fELF", "application/x-executable"},
	{"\x00asm", "application/wasm"},
	{"SQLite format 3\x00", "application/vnd.sqlite3"},
}

// mimeType returns the type of a file by its beginning.
func mimeType(head []byte) string {
	for _, m := range magic {
		if matchesMagic(head, m.prefix) {
			return m.mime
		}
	}
	if bytes.IndexByte(head, 0) < 0 && utf8.Valid(trimPartial(head, true)) {
		return "text/plain"
	}
	return "application/octet-stream"
}

func matchesMagic(head []byte, prefix string) bool {
	if len(head) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if prefix[i] != head[i] && prefix[i] != '.' {
			return false
		}
	}
	return true
}

// isImage reports whether models can be shown files of a type.
func isImage(mime string) bool { return strings.HasPrefix(mime, "image/") && mime != "image/bmp" }
