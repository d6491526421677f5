package file

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// A kind is what file says about a file.
type kind struct {
	text    string
	mime    string
	charset string // "binary", or that of a text
	plain   bool   // a text of no special kind
}

// A magic is a beginning by which a type of file is known.
type magic struct {
	offset int
	bytes  string
	text   string
	mime   string

	// detail returns what is to be said after text of a file that begins
	// with head and ends with tail. It may be nil.
	detail func(head, tail []byte) string
}

// magics are tried in order.
var magics = []magic{
	{0, "\x89PNG\r\n\x1a\n", "PNG image data", "image/png", pngDetail},
	{0, "\xff\xd8\xff", "JPEG image data", "image/jpeg", jpegDetail},
	{0, "GIF8", "GIF image data", "image/gif", gifDetail},
	{0, "II*\x00", "TIFF image data, little-endian", "image/tiff", nil},
	{0, "MM\x00*", "TIFF image data, big-endian", "image/tiff", nil},
	{0, "%PDF-", "PDF document, version ", "application/pdf", func(h, _ []byte) string { return firstOf(h[5:], "0123456789.") }},
	{0, "%!PS-Adobe-", "PostScript document text conforming DSC level ", "application/postscript", func(h, _ []byte) string { return firstOf(h[11:], "0123456789.") }},
	{0, "%!", "PostScript document text", "application/postscript", nil},
	{0, "{\\rtf1", "Rich Text Format data, version 1", "text/rtf", rtfDetail},
	{0, "\x1f\x8b", "gzip compressed data", "application/gzip", gzipDetail},
	{0, "BZh", "bzip2 compressed data, block size = ", "application/x-bzip2", func(h, _ []byte) string { return fmt.Sprintf("%c00k", at(h, 3)) }},
	{0, "\xfd7zXZ\x00", "XZ compressed data", "application/x-xz", xzDetail},
	{0, "\x28\xb5\x2f\xfd", "Zstandard compressed data (v0.8+), Dictionary ID: None", "application/zstd", nil},
	{0, "\x04\x22\x4d\x18", "LZ4 compressed data (v1.4+)", "application/x-lz4", nil},
	{0, "7z\xbc\xaf\x27\x1c", "7-zip archive data, version ", "application/x-7z-compressed", func(h, _ []byte) string { return fmt.Sprintf("%d.%d", at(h, 6), at(h, 7)) }},
	{0, "Rar!\x1a\x07\x01", "RAR archive data, v5", "application/x-rar", nil},
	{0, "Rar!", "RAR archive data", "application/x-rar", nil},
	{0, "PK\x05\x06", "Zip archive data (empty)", "application/zip", nil},
	{0, "!<arch>\ndebian-binary", "Debian binary package (format 2.0)", "application/vnd.debian.binary-package", nil},
	{0, "!<arch>\n", "current ar archive", "application/x-archive", nil},
	{257, "ustar  \x00", "POSIX tar archive (GNU)", "application/x-tar", nil},
	{257, "ustar\x00", "POSIX tar archive", "application/x-tar", nil},
	{0, "\x7fELF", "ELF", "application/x-executable", elfDetail},
	{0, "MZ", "MS-DOS executable", "application/x-dosexec", nil},
	{0, "\xca\xfe\xba\xbe\x00\x00\x00", "compiled Java class data, version ", "application/x-java-applet", javaDetail},
	{0, "\x00asm", "WebAssembly (wasm) binary module version ", "application/wasm", wasmDetail},
	{0, "SQLite format 3\x00", "SQLite 3.x database", "application/vnd.sqlite3", sqliteDetail},
	{0, "fLaC", "FLAC audio bitstream data", "audio/flac", nil},
	{0, "OggS", "Ogg data", "application/ogg", nil},
	{0, "ID3", "Audio file with ID3 version 2.", "audio/mpeg", func(h, _ []byte) string { return fmt.Sprintf("%d.%d", at(h, 3), at(h, 4)) }},
	{4, "ftypmp42", "ISO Media, MP4 v2 [ISO 14496-14]", "video/mp4", nil},
	{4, "ftypisom", "ISO Media, MP4 Base Media v1 [ISO 14496-12:2003]", "video/mp4", nil},
	{4, "ftypqt", "ISO Media, Apple QuickTime movie, Apple QuickTime (.MOV/QT)", "video/quicktime", nil},
	{0, "wOFF", "Web Open Font Format", "font/woff", nil},
	{0, "wOF2", "Web Open Font Format (Version 2)", "font/woff2", nil},
	{0, "-----BEGIN CERTIFICATE-----", "PEM certificate", "text/plain", nil},
	{0, "-----BEGIN RSA PRIVATE KEY-----", "PEM RSA private key", "text/plain", nil},
	{0, "-----BEGIN EC PRIVATE KEY-----", "PEM EC private key", "text/plain", nil},
	{0, "-----BEGIN OPENSSH PRIVATE KEY-----", "OpenSSH private key", "text/plain", nil},
	{0, "ssh-rsa ", "OpenSSH RSA public key", "text/plain", nil},
	{0, "ssh-ed25519 ", "OpenSSH ED25519 public key", "text/plain", nil},
	{0, "BEGIN:VCALENDAR", "vCalendar calendar file", "text/calendar", nil},
	{0, "BEGIN:VCARD", "vCard visiting card", "text/vcard", nil},
}

// identifyContent tells what a file is that begins with head and ends with
// tail.
func identifyContent(head, tail []byte) kind {
	if len(head) == 1 {
		return kind{text: "very short file (no magic)", mime: "application/octet-stream", charset: "binary"}
	}
	charset := charsetOf(head)
	for _, m := range magics {
		if len(head) >= m.offset && bytes.HasPrefix(head[m.offset:], []byte(m.bytes)) {
			k := kind{text: m.text, mime: m.mime, charset: charset.name}
			if m.detail != nil {
				k.text += m.detail(head, tail)
			}
			if m.text == "ELF" {
				k.mime = elfMIME(head)
			}
			return k
		}
	}
	for _, container := range []func([]byte) (string, string){zipKind, riffKind, bitmapKind} {
		if text, mime := container(head); text != "" {
			return kind{text: text, mime: mime, charset: charset.name}
		}
	}
	if charset.text == "" {
		return kind{text: "data", mime: "application/octet-stream", charset: charset.name}
	}
	return identifyText(head, charset)
}

func at(p []byte, i int) int {
	if i >= 0 && i < len(p) {
		return int(p[i])
	}
	return 0
}

// firstOf returns the beginning of p that consists of some characters.
func firstOf(p []byte, chars string) string {
	n := 0
	for n < len(p) && strings.IndexByte(chars, p[n]) >= 0 {
		n++
	}
	return string(p[:n])
}

func little(p []byte, i, size int) (v uint64) {
	for n := size - 1; n >= 0; n-- {
		v = v<<8 | uint64(at(p, i+n))
	}
	return v
}

func big(p []byte, i, size int) (v uint64) {
	for n := range size {
		v = v<<8 | uint64(at(p, i+n))
	}
	return v
}

func pngDetail(h, _ []byte) string {
	colors := map[int]string{0: " grayscale", 2: "/color RGB", 3: " colormap", 4: " gray+alpha", 6: "/color RGBA"}
	interlace := "non-interlaced"
	if at(h, 28) != 0 {
		interlace = "interlaced"
	}
	return fmt.Sprintf(", %d x %d, %d-bit%s, %s", big(h, 16, 4), big(h, 20, 4), at(h, 24), colors[at(h, 25)], interlace)
}

func gifDetail(h, _ []byte) string {
	version := ""
	if len(h) >= 6 {
		version = string(h[3:6])
	}
	return fmt.Sprintf(", version %s, %d x %d", version, little(h, 6, 2), little(h, 8, 2))
}

func jpegDetail(h, _ []byte) string {
	text := ""
	if bytes.HasPrefix(h[min(6, len(h)):], []byte("JFIF\x00")) {
		units := "aspect ratio"
		switch at(h, 13) {
		case 1:
			units = "resolution (DPI)"
		case 2:
			units = "resolution (DPCM)"
		}
		text = fmt.Sprintf(", JFIF standard %d.%02d, %s, density %dx%d, segment length %d", at(h, 11), at(h, 12), units, big(h, 14, 2), big(h, 16, 2), big(h, 4, 2))
	}
	for i := 2; i+9 < len(h) && h[i] == 0xff; i += 2 + int(big(h, i+2, 2)) {
		process := ""
		switch h[i+1] {
		case 0xc0:
			process = "baseline"
		case 0xc1:
			process = "extended sequential"
		case 0xc2:
			process = "progressive"
		default:
			continue
		}
		return text + fmt.Sprintf(", %s, precision %d, %dx%d, components %d", process, h[i+4], big(h, i+7, 2), big(h, i+5, 2), at(h, i+9))
	}
	return text
}

func rtfDetail(h, _ []byte) string {
	if bytes.HasPrefix(h[6:], []byte("\\ansi")) {
		return ", ANSI"
	}
	return ""
}

func gzipDetail(h, tail []byte) string {
	flags, text, rest := at(h, 3), "", h[min(10, len(h)):]
	if flags&4 != 0 {
		rest = rest[min(len(rest), 2+int(little(rest, 0, 2))):]
	}
	if flags&8 != 0 {
		name, _, _ := bytes.Cut(rest, []byte{0})
		text += fmt.Sprintf(", was \"%s\"", name)
	}
	if at := little(h, 4, 4); at != 0 {
		text += ", last modified: " + time.Unix(int64(at), 0).UTC().Format("Mon Jan _2 15:04:05 2006")
	}
	switch at(h, 8) {
	case 2:
		text += ", max compression"
	case 4:
		text += ", max speed"
	}
	switch at(h, 9) {
	case 0:
		text += ", from FAT filesystem (MS-DOS, OS/2, NT)"
	case 3:
		text += ", from Unix"
	case 7:
		text += ", from MacOS"
	case 11:
		text += ", from NTFS filesystem (NT)"
	}
	if len(tail) == 4 {
		text += fmt.Sprintf(", original size modulo 2^32 %d", binary.LittleEndian.Uint32(tail))
	}
	return text
}

func xzDetail(h, _ []byte) string {
	switch at(h, 7) & 15 {
	case 0:
		return ", checksum NONE"
	case 1:
		return ", checksum CRC32"
	case 4:
		return ", checksum CRC64"
	case 10:
		return ", checksum SHA-256"
	}
	return ""
}

func javaDetail(h, _ []byte) string {
	major := big(h, 6, 2)
	if major >= 49 {
		return fmt.Sprintf("%d.%d (Java %s)", major, big(h, 4, 2), javaRelease(major))
	}
	return fmt.Sprintf("%d.%d", major, big(h, 4, 2))
}

func javaRelease(major uint64) string {
	if major <= 52 {
		return fmt.Sprintf("1.%d", major-44)
	}
	return fmt.Sprintf("SE %d", major-44)
}

func wasmDetail(h, _ []byte) string {
	version := little(h, 4, 4)
	text := fmt.Sprintf("%#x", version)
	if version == 1 {
		text += " (MVP)"
	}
	return text
}

func sqliteDetail(h, _ []byte) string {
	if len(h) < 100 {
		return ""
	}
	encoding := map[uint64]string{1: "UTF-8", 2: "UTF-16 little endian", 3: "UTF-16 big endian"}[big(h, 56, 4)]
	return fmt.Sprintf(", last written using SQLite version %d, file counter %d, database pages %d, cookie %#x, schema %d, %s, version-valid-for %d",
		big(h, 96, 4), big(h, 24, 4), big(h, 28, 4), big(h, 40, 4), big(h, 44, 4), encoding, big(h, 92, 4))
}

// zipKind tells archives from the documents that are some.
func zipKind(h []byte) (text, mime string) {
	if !bytes.HasPrefix(h, []byte("PK\x03\x04")) || len(h) < 30 {
		return "", ""
	}
	name := string(h[30:min(len(h), 30+int(little(h, 26, 2)))])
	content := h[min(len(h), 30+int(little(h, 26, 2))+int(little(h, 28, 2))):]
	switch {
	case name == "mimetype" && bytes.HasPrefix(content, []byte("application/epub+zip")):
		return "EPUB document", "application/epub+zip"
	case name == "mimetype" && bytes.HasPrefix(content, []byte("application/vnd.oasis.opendocument.")):
		sort := firstOf(content[len("application/vnd.oasis.opendocument."):], "abcdefghijklmnopqrstuvwxyz")
		if sort != "" {
			return "OpenDocument " + strings.ToUpper(sort[:1]) + sort[1:], "application/vnd.oasis.opendocument." + sort
		}
	case name == "[Content_Types].xml" || name == "_rels/.rels":
		const office = "application/vnd.openxmlformats-officedocument."
		for _, d := range []struct{ dir, text, mime string }{
			{"word/", "Microsoft Word 2007+", office + "wordprocessingml.document"},
			{"xl/", "Microsoft Excel 2007+", office + "spreadsheetml.sheet"},
			{"ppt/", "Microsoft PowerPoint 2007+", office + "presentationml.presentation"},
		} {
			if bytes.Contains(content, []byte(d.dir)) {
				return d.text, d.mime
			}
		}
		return "Microsoft OOXML", "application/octet-stream"
	}
	method := map[uint64]string{0: "store", 8: "deflate", 9: "deflate64", 12: "bzip2", 14: "lzma"}[little(h, 8, 2)]
	version := little(h, 4, 2)
	return fmt.Sprintf("Zip archive data, at least v%d.%d to extract, compression method=%s", version/10, version%10, method), "application/zip"
}

func riffKind(h []byte) (text, mime string) {
	if !bytes.HasPrefix(h, []byte("RIFF")) || len(h) < 12 {
		return "", ""
	}
	const data = "RIFF (little-endian) data"
	switch string(h[8:12]) {
	case "WEBP":
		return data + ", Web/P image", "image/webp"
	case "AVI ":
		return data + ", AVI", "video/x-msvideo"
	case "WAVE":
		if little(h, 20, 2) != 1 || len(h) < 36 {
			return data + ", WAVE audio", "audio/x-wav"
		}
		channels := fmt.Sprintf("%d channels", little(h, 22, 2))
		switch little(h, 22, 2) {
		case 1:
			channels = "mono"
		case 2:
			channels = "stereo"
		}
		return fmt.Sprintf("%s, WAVE audio, Microsoft PCM, %d bit, %s %d Hz", data, little(h, 34, 2), channels, little(h, 24, 4)), "audio/x-wav"
	}
	return data, "application/octet-stream"
}

func bitmapKind(h []byte) (text, mime string) {
	if !bytes.HasPrefix(h, []byte("BM")) || len(h) < 54 || little(h, 14, 4) != 40 {
		return "", ""
	}
	text = fmt.Sprintf("PC bitmap, Windows 3.x format, %d x %d x %d", little(h, 18, 4), int32(little(h, 22, 4)), little(h, 28, 2))
	if n := little(h, 34, 4); n != 0 {
		text += fmt.Sprintf(", image size %d", n)
	}
	if x := little(h, 38, 4); x != 0 {
		text += fmt.Sprintf(", resolution %d x %d px/m", x, little(h, 42, 4))
	}
	return text + fmt.Sprintf(", cbSize %d, bits offset %d", little(h, 2, 4), little(h, 10, 4)), "image/bmp"
}
