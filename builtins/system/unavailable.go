package system

import "strings"

// unavailable has programs that scripts reach for and that a sandbox cannot
// have, with what serves instead. Several names may share a row.
var unavailable = []struct{ names, hint string }{
	{"python python2 python3 pypy ipython", "no Python here; use awk, jq, sed or bash arithmetic"},
	{"pip pip3 pipx uv poetry conda virtualenv pytest", "no Python packages here; use awk, jq, sed or bash"},
	{"node nodejs deno bun ts-node tsc", "no JavaScript here; use jq for JSON, awk or bash for the rest"},
	{"npm npx yarn pnpm", "no JavaScript packages here; use jq, awk or bash"},
	{"perl", "no Perl here; use awk, sed or grep -P"},
	{"ruby gem bundle irb rake", "no Ruby here; use awk, sed or jq"},
	{"php composer", "no PHP here; use awk, sed or jq"},
	{"lua luajit tclsh Rscript R julia ghc swift dart elixir erl", "no other interpreter here; use bash or awk"},
	{"java javac mvn gradle kotlin kotlinc scala sbt", "no Java here; use bash or awk"},
	{"gcc g++ cc c++ clang clang++ tcc ld as", "no compiler here; use bash, awk or bc"},
	{"make cmake ninja meson autoconf configure", "no build tools here; run the steps as a bash script"},
	{"go gofmt cargo rustc rustup dotnet csc zig nim", "no compiler here; use bash or awk"},
	{"gdb lldb strace ltrace perf valgrind", "no debugger here; use bash -x"},
	{"apt apt-get aptitude dpkg apk yum dnf rpm pacman brew snap flatpak zypper nix", "nothing can be installed here; see 'help' for the commands there are"},
	{"docker docker-compose podman kubectl helm minikube vagrant terraform ansible", "no containers and clusters here; this is a sandbox already"},
	{"sudo su doas pkexec runuser unshare nsenter", "no other user here; run the command as it is"},
	{"systemctl service journalctl init systemd-run launchctl", "no services here; start a job with '&'"},
	{"crontab at batch", "no scheduler here; use sleep in a loop"},
	{"ssh scp sftp rsync telnet ftp nc ncat netcat socat ssh-keygen", "no remote access here; use curl where the network policy allows"},
	{"ping traceroute nmap dig nslookup host ip ifconfig netstat ss iptables tcpdump", "no network tools here; use curl where the network policy allows"},
	{"vim vi nvim nano emacs ed ex pico micro joe", "no editor here; use sed -i, tee or a here-document"},
	{"most man info", "no manuals here; use a command's --help"},
	{"top htop btop iotop vmstat iostat", "no monitor here; use ps or free"},
	{"screen tmux script expect reset", "no terminal here; run the command directly"},
	{"mount umount losetup mkfs fdisk parted fsck swapon modprobe insmod lsmod dmesg sysctl reboot shutdown poweroff halt", "no kernel to administer here"},
	{"useradd userdel usermod groupadd passwd chpasswd adduser visudo", "no accounts to administer here"},
	{"mysql psql mongo redis-cli", "no database server here; use sqlite3, awk or jq on files"},
	{"convert magick ffmpeg identify gs pandoc latex pdflatex xelatex", "no converters of documents and media here but html2markdown"},
	{"csvcut csvgrep csvstat csvlook csvsort csvjoin csvstack csvsql in2csv mlr qsv xsv", "use xan, see 'xan help', or sqlite3, awk"},
	{"zgrep zegrep zfgrep zless zmore zdiff zcmp xzgrep xzless bzgrep bzless", "use zcat, xzcat or bzcat in a pipeline"},
	{"renice ionice chrt taskset cpulimit", "no scheduling here; run the command as it is"},
	{"killall pidof pstree", "use pgrep, pkill or ps"},
	{"locate updatedb mlocate whereis whatis apropos", "no such database here; use find, type or help"},
	{"sponge ts vipe pee chronic combine", "no moreutils here; use a temporary file"},
	{"col colrm colcrt ul rename", "use sed, or a loop of mv"},
	{"lscpu lsblk lspci lsusb findmnt dmidecode", "no hardware to tell of here; use nproc, free or df"},
	{"gpg gpg2 openssl ssh-agent age", "no cryptography here but sums such as sha256sum"},
	{"zsh fish dash ksh csh tcsh pwsh powershell", "no other shell here; use bash or sh"},
	{"xdg-open open xclip xsel pbcopy pbpaste notify-send firefox chromium google-chrome", "no desktop here"},
}

// Unavailable returns what serves instead of a program that no sandbox has,
// for the message that it was not found.
func Unavailable(name string) (hint string, ok bool) {
	for _, row := range unavailable {
		for n := range strings.FieldsSeq(row.names) {
			if n == name {
				return row.hint, true
			}
		}
	}
	return "", false
}
