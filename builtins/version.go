package builtins

import (
	"fmt"
	"strings"
)

// releases says which release of which package a command behaves like, in the
// words that the command itself has for it: scripts look there for GNU's name,
// to know what they may use.
var releases = []struct{ line, names string }{
	{"%s (GNU coreutils) 9.1", "[ arch b2sum chcon chroot dircolors hostid pinky ptx runcon stdbuf base32 base64 basename basenc cat chgrp chmod chown cksum comm cp csplit cut date dd df dir " +
		"dirname du echo env expand expr factor false fmt fold groups head id install join kill link ln logname ls md5sum mkdir mkfifo mknod " +
		"mktemp mv nice nl nohup nproc numfmt od paste pathchk pr printenv printf pwd readlink realpath rm rmdir seq sha1sum sha224sum " +
		"sha256sum sha384sum sha512sum shred shuf sleep sort split stat stty sum sync tac tail tee test timeout touch tr true truncate " +
		"tsort tty uname unexpand uniq unlink users vdir wc who whoami yes"},
	{"%s (GNU findutils) 4.9.0", "find xargs"},
	{"%s (GNU diffutils) 3.8", "cmp diff diff3 sdiff"},
	{"grep (GNU grep) 3.8", "grep egrep fgrep"},
	{"%s (GNU sed) 4.9", "sed"},
	{"%s (GNU tar) 1.34", "tar"},
	{"%s 1.12", "gzip"},
	{"%s (gzip) 1.12", "gunzip zcat"},
	{"bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.", "bzip2 bunzip2 bzcat"},
	{"%s (XZ Utils) 5.4.1", "xz unxz xzcat lzma unlzma lzcat"},
	{"*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***", "zstd unzstd zstdcat zstdmt"},
	{"*** LZ4 command line interface 64-bits v1.9.4, by Yann Collet ***", "lz4 unlz4 lz4cat lz4c"},
	{"This is Zip 3.0 (July 5th 2008)", "zip"},
	{"UnZip 6.00 of 20 April 2009", "unzip"},
	{"GNU patch 2.7.6", "patch"},
	{"bc 1.07.1", "bc"},
	{"%s (GNU bc 1.07.1) 1.4.1", "dc"},
	{"%s from util-linux 2.38.1", "column flock getopt setsid hexdump hd look more rev mesg"},
	{"%s from procps-ng 4.0.2", "free pgrep pkill ps uptime watch"},
	{"%s 3.23", "hostname dnsdomainname"},
	{"%s (GNU gettext-runtime) 0.21", "envsubst"},
	{"%s (Debian GLIBC 2.36-9+deb12u14) 2.36", "getconf getent iconv locale"},
	{"%s-5.44", "file"},
	{"tree v2.1.0", "tree"},
	{"GNU %s (GNU Binutils for Debian) 2.40", "ar strings"},
	{"%s 7.4.3 (2022-06-05)", "dos2unix unix2dos"},
	{"ncurses 6.4.20221231", "clear tput"},
	{"GNU Awk 5.2.1, API 3.2", "awk gawk nawk"},
	{"mawk 1.3.4 20200120", "mawk"},
	{"less 590 (GNU regular expressions)", "less"},
	{"ripgrep 13.0.0", "rg"},
	{"jq-1.6", "jq"},
	{"xxd 2022-01-14 by Juergen Weigert et al.", "xxd"},
	{"%s (GNU Time) UNKNOWN", "time"},
	{"Debian run-parts program, version 5.7", "run-parts"},
	{"%s (GNU cpio) 2.13", "cpio"},
	{"%s (GNU sharutils) 4.15.2", "uuencode uudecode"},
	{"GNU %s 20221122", "parallel"},
	{"fdfind 8.6.0", "fd fdfind"},
	{"yq (https://github.com/mikefarah/yq/) version v4.54.3", "yq"},
}

// Version prints what --version does: the release that the command behaves
// like, and that it is not the original.
func (f *Flags) Version() error {
	name, line := f.call.Name, "%s (limpet)"
	for _, r := range releases {
		if strings.Contains(" "+r.names+" ", " "+name+" ") {
			line = r.line
		}
	}
	fmt.Fprintf(f.call.Stdout, "%s\nThis is limpet's own %s, which behaves like that one.\n", strings.ReplaceAll(line, "%s", name), name)
	return Exit(0)
}
