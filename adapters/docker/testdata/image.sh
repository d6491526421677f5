#!/bin/bash
# Imports an image for the tests, of programs of this host and the libraries that they
# need: image.sh TAG.
set -eu
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,usr/bin,etc,proc,sys,dev,tmp,run/limpet,workspace,home/limpet,lib,lib64,usr/lib}
chmod 1777 "$root/tmp"
add() {
  local path lib
  for path; do
    path=$(type -P "$path") || continue
    cp -L "$path" "$root/usr/bin/"
    ldd "$path" 2> /dev/null | grep -o '/[^ ]*' | sort -u | while read -r lib; do
      mkdir -p "$root$(dirname "$lib")"
      [ -e "$root$lib" ] || cp -L "$lib" "$root$lib"
    done || true
  done
}
add $(dpkg -L coreutils | grep -E '^(/usr)?/bin/') bash dash kill cmp diff grep sed find xargs awk rev setsid script fallocate tar gzip curl
mkdir -p "$root/usr/lib/locale"
cp -r /usr/lib/locale/C.utf8 "$root/usr/lib/locale/"
ln -s dash "$root/usr/bin/sh"
for p in "$root"/usr/bin/*; do ln -s "/usr/bin/${p##*/}" "$root/bin/${p##*/}"; done
echo 'root:x:0:0::/root:/bin/bash
limpet:x:1000:1000::/home/limpet:/bin/bash' > "$root/etc/passwd"
echo 'root:x:0:
limpet:x:1000:' > "$root/etc/group"
tar -C "$root" -c . | docker import --change 'ENV PATH=/usr/bin:/bin' - "$1"
