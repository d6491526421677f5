package vfstest

// What a case needs of a file system besides what all have.
type need uint8

const (
	nothing need = iota
	users        // permissions for several users; scripts start as user 0
	nodes        // FIFOs and devices
)

// cases are scripts, each for an empty file system.
var cases = []struct {
	name   string
	need   need
	script string
}{
	{"create", nothing, `
		open f rwc /f 640
		fstat f name size mode links -> f 0 -rw-r----- 1
		close f
		open f wc /none/f -> ENOENT
		write /f one
		open g wc /f/x -> ENOTDIR
		open g wcx /f -> EEXIST
		open g wcx /new
		close g
		open g wc / -> EISDIR
		open g w / -> EISDIR
		open g r /gone -> ENOENT
		open g wc /f/ -> EISDIR
		open g wc /gone/ -> EISDIR
		open g r /f/ -> ENOTDIR
		cat /f -> one
		open g wt /f
		cat /f ->
		stat /f size blocks -> 0 0
		ls / -> f new
		mkdir /d
		open g wc /d/. -> EISDIR
		open g wcx /d -> EEXIST
		open g rc /d -> EISDIR
	`},
	{"names", nothing, `
		mkdir /a
		mkdir /a/b
		write /a/b/f x
		cat //a///b//f -> x
		cat /a/./b/../b/f -> x
		cat /a/b/../../a/b/f -> x
		cat /../../a/b/f -> x
		stat /a/b/../none/../b/f size -> ENOENT
		stat /a/b/f/.. size -> ENOTDIR
		stat /a/b/f/. size -> ENOTDIR
		stat / name -> /
		stat /a/b/ name -> b
		stat /a/none/ name -> ENOENT
		resolve /a/b/../b/f -> /a/b/f
		resolve /a/b/gone -> /a/b/gone
		resolve /a/gone/b -> ENOENT
	`},
	{"mkdir", nothing, `
		mkdir /a 711
		stat /a mode links -> drwx--x--x 2
		mkdir /a -> EEXIST
		mkdir /a/ -> EEXIST
		mkdir / -> EEXIST
		mkdir /a/. -> EEXIST
		mkdir /a/.. -> EEXIST
		mkdir /x/y -> ENOENT
		mkdir /b/
		stat /b mode -> drwxr-xr-x
		write /f x
		mkdir /f -> EEXIST
		mkdir /f/ -> EEXIST
		mkdir /f/x -> ENOTDIR
		symlink gone /l
		mkdir /l -> EEXIST
		mkdir /l/ -> EEXIST
		mkdir /l/x -> ENOENT
		mkdirall /a/b/c/d
		mkdirall /a/b/c/d
		mkdirall /a/b/c/d/
		mkdirall /f/x -> ENOTDIR
		mkdirall /f -> ENOTDIR
		stat /a links -> 3
		stat /a/b links -> 3
		stat /a/b/c/d links -> 2
		ls /a/b -> cd
	`},
	{"remove", nothing, `
		mkdirall /a/b
		write /a/f x
		rm /gone -> ENOENT
		rm /a -> ENOTEMPTY
		rm /a/f/ -> ENOTDIR
		rm /a/f/g -> ENOTDIR
		rm /a/. -> EINVAL
		rm /a/b/.. -> ENOTEMPTY
		rm /a/f
		rm /a/b/
		stat /a links -> 2
		rm /a
		ls / ->
		mkdir /d
		symlink d /l
		rm /l/ -> ENOTDIR
		rm /l
		stat /d links -> 2
		symlink gone /m
		rm /m
		ls / -> dd
		mkdirall /t/u/v
		write /t/u/f x
		write /t/g x
		symlink /d /t/l
		write /d/keep x
		rmall /t
		rmall /t
		rmall /gone/x
		ls / -> dd
		ls /d -> keep
		write /f x
		rmall /f
		ls / -> dd
	`},
	{"symlinks", nothing, `
		mkdirall /a/b
		write /a/f x
		symlink f /a/l
		symlink ../f /a/b/up
		symlink /a/b /abs
		symlink loop /loop
		symlink gone /dangling
		cat /a/l -> x
		cat /a/b/up -> x
		cat /abs/up -> x
		cat /abs/../f -> x   # not the directory that holds the link
		cat /loop -> ELOOP
		cat /loop/x -> ELOOP
		cat /dangling -> ENOENT
		readlink /a/l -> f
		readlink /abs -> /a/b
		readlink /abs/ -> EINVAL
		readlink /a/f -> EINVAL
		readlink /a -> EINVAL
		readlink /gone -> ENOENT
		lstat /a/l mode size links -> Lrwxrwxrwx 1 1
		lstat /abs/ name mode -> abs drwxr-xr-x
		stat /a/l mode -> -rw-r--r--
		lstat /loop mode -> Lrwxrwxrwx
		stat /loop mode -> ELOOP
		symlink x /a/l -> EEXIST
		symlink x /new/ -> ENOENT
		symlink x /abs/ -> EEXIST
		symlink x /none/y -> ENOENT
		open f wcx /dangling -> EEXIST
		open f wc /dangling
		close f
		ls / -> ad absL danglingL gone loopL
		write /abs/new y
		cat /a/b/new -> y
		resolve /abs/up -> /a/b/up
		resolve /abs/up follow -> /a/f
		resolve /loop follow -> ELOOP
		stat /a/l/ size -> ENOTDIR
		symlink . /dot
		stat /dot/dot/dot/a/f size -> 1
		symlink / /root
		cat /root/root/a/f -> x
		symlink /a/b/ /slash
		ls /slash -> new upL
		symlink ../../../../a/f /climb
		cat /climb -> x
		chmod 600 /a/l
		stat /a/f mode -> -rw-------
		open f wct /a/l
		close f
		lstat /a/l mode -> Lrwxrwxrwx
	`},
	{"hard links", nothing, `
		mkdir /d
		write /f x
		ln /f /d/g
		stat /f links -> 2
		same /f /d/g -> true
		write /d/g yy
		cat /f -> yy
		chmod 600 /f
		stat /d/g mode -> -rw-------
		rm /f
		cat /d/g -> yy
		stat /d/g links -> 1
		ln /d /e -> EPERM
		ln /gone /e -> ENOENT
		ln /d/g /d/g -> EEXIST
		ln /d/g /d -> EEXIST
		ln /d/g /e/ -> ENOENT
		ln /d/g/ /e -> ENOTDIR
		ln /d/g /none/e -> ENOENT
		symlink d/g /l
		ln /l /m            # of the link itself
		readlink /m -> d/g
		lstat /l links -> 2
		rm /l
		cat /m -> yy
	`},
	{"rename", nothing, `
		write /a 1
		mv /a /b
		cat /b -> 1
		stat /a size -> ENOENT
		write /c 2
		mv /c /b
		cat /b -> 2
		ls / -> b
		mv /gone /b -> ENOENT
		mv /b /none/b -> ENOENT
		mv /b /b
		cat /b -> 2
		mkdirall /d/e
		mkdir /empty
		write /d/f 3
		mv /b /d -> EISDIR
		mv /b /empty -> EISDIR
		mv /d /b -> ENOTDIR
		mv /empty /d -> ENOTEMPTY
		mv /d/e /empty
		stat /d links -> 2
		ls / -> b dd emptyd
		mv /d /empty
		ls / -> b emptyd
		ls /empty -> f
		mv /empty /empty/x -> EINVAL
		mkdirall /empty/y/z
		mv /empty /empty/y/z/w -> EINVAL
		mv /empty/y /empty -> ENOTEMPTY
		mv /empty/f /empty -> ENOTEMPTY
		mv /b /new/ -> ENOTDIR
		mv /b/ /new -> ENOTDIR
		mv /empty/ /full/
		ls /full -> f yd
		mv /full/. /x -> EBUSY
		mv /full/y/.. /x -> EBUSY
		mv /full /full/y/.. -> EBUSY
		mv / /x -> EBUSY
		mv /full / -> EBUSY
		mv /b /full/f/x -> ENOTDIR
		ln /b /c
		mv /b /c            # two names of one file: nothing happens
		ls / -> b c fulld
		symlink b /l
		mv /l /m
		readlink /m -> b
		mv /c /m
		lstat /m mode -> -rw-r--r--
		symlink full /dl
		mv /dl/ /x -> ENOTDIR
		mv /b /dl
		lstat /dl mode -> -rw-r--r--
	`},
	{"moved directories", nothing, `
		mkdirall /a/b/c
		mkdirall /x/y
		write /a/f old
		mv /a/b /x/y/b
		cat /x/y/b/../../../a/f -> old
		stat /x/y/b/c/.. links -> 3
		stat /a links -> 2
		stat /x/y links -> 3
		same /x/y /x/y/b/.. -> true
		open h r /x/y/b
		mv /x /z
		next h 0 -> c
		write /z/y/b/f new
		cat /z/y/b/f -> new
		ls /x -> ENOENT
		mkdir /x
		ls /x ->
		rmall /z
		ls / -> ad xd
	`},
	{"read and write", nothing, `
		open f rwc /f
		put f hello
		get f 4 -> EOF
		seek f 1 -> 1
		get f 2 -> el
		get f 9 -> lo
		get f 9 -> EOF
		get f 0 ->
		seek f 0 cur -> 5
		seek f -2 end -> 3
		put f LONGER
		getat f 0 20 -> helLONGER EOF
		getat f 3 2 -> LO
		getat f 99 2 -> EOF
		getat f -1 2 -> EINVAL
		putat f 0 J
		putat f -1 J -> EINVAL
		seek f -1 -> EINVAL
		seek f 0 bad -> EINVAL
		seek f 0 cur -> 9
		trunc f 4
		fstat f size -> 4
		put f x                 # behind the end
		getat f 0 20 -> JelL.....x EOF
		trunc f 2
		trunc f 5
		getat f 0 20 -> Je... EOF
		trunc f -1 -> EINVAL
		close f
		close f -> EBADF
		put f x -> EBADF
		get f 1 -> EBADF
		fstat f size -> EBADF
		open f r /f
		put f x -> EBADF
		trunc f 0 -> EINVAL
		close f
		open f w /f
		get f 1 -> EBADF
		close f
		cat /f -> Je...
	`},
	{"append", nothing, `
		open a wac /f
		open b wa /f
		put a 1
		put b 2
		put a 3
		seek a 0 -> 0
		put a 4
		seek a 0 cur -> 4
		putat b 0 5
		cat /f -> 12345
		open c rw /f
		put c X
		put b 6
		cat /f -> X23456
	`},
	{"holes", nothing, `
		open f rwc /f
		putat f 1000000 x
		fstat f size blocks -> 1000001 8
		getat f 500000 3 -> ...
		getat f 999999 9 -> .x EOF
		trunc f 3000000
		fstat f size blocks -> 3000000 8
		trunc f 10
		fstat f size blocks -> 10 0
		putat f 4096 y
		putat f 0 z
		fstat f size blocks -> 4097 16
		trunc f 0
		fstat f size blocks -> 0 0
	`},
	{"open and removed", nothing, `
		open f rwc /f
		put f data
		rm /f
		fstat f links size -> 0 4
		getat f 0 4 -> data
		put f more
		getat f 0 8 -> datamore
		write /f new
		getat f 0 8 -> datamore
		cat /f -> new
		write /g other
		open g r /g
		mv /f /g
		get g 9 -> other
		cat /g -> new
		mkdir /d
		open d r /d
		rm /d
		next d 0 -> ENOENT
		fstat d links -> 0
	`},
	{"directories as files", nothing, `
		mkdir /d
		write /d/a 1
		write /d/b 2
		open d r /d
		get d 1 -> EISDIR
		put d x -> EBADF
		fstat d name mode -> d drwxr-xr-x
		next d 0 -> a b
		next d 0 ->
		next d 1 -> EOF
		rewind d
		write /d/c 3
		rm /d/a
		next d 0 -> b c
		write /f x
		open f r /f
		next f 0 -> ENOTDIR
		ls /f -> ENOTDIR
		ls /gone -> ENOENT
	`},
	{"modes", nothing, `
		write /f x
		chmod 755 /gone -> ENOENT
		chmod 751 /f
		stat /f mode -> -rwxr-x--x
		chmod 0 /f
		stat /f mode -> ----------
		mkdir /d
		chmod 1777 /d
		stat /d mode -> dtrwxrwxrwx
		chmod 755 /f/ -> ENOTDIR
		chown -1 -1 /f
		chown 0 0 /gone -> ENOENT
		symlink gone /l
		chmod 600 /l -> ENOENT
		chown -1 -1 /l -> ENOENT
		lchown -1 -1 /l
	`},
	{"times", nothing, `
		write /f x
		mkdir /d
		symlink f /l
		utime 100 200 /f
		times /f -> 100 200
		utime 300 - /f
		times /f -> 300 200
		utime - 400 /l
		times /f -> 300 400
		lutime 5 6 /l
		times /l -> 5 6
		times /f -> 300 400
		lutime 7 8 /f
		times /f -> 7 8
		utime 1 2 /d
		times /d -> 1 2
		utime 1 2 /gone -> ENOENT
		utime -100 -200 /f
		times /f -> -100 -200
	`},
	{"permissions", users, `
		mkdir /home
		chown 5 5 /home
		write /root x
		chmod 600 /root
		mkdir /secret 700
		write /secret/f x
		mkdir /tmp
		chmod 1777 /tmp
		write /tmp/theirs x
		chmod 666 /tmp/theirs
		as 5
		write /home/f mine
		stat /home/f owner -> 5:5
		write /f x -> EACCES
		mkdir /d -> EACCES
		cat /root -> EACCES
		open f w /root -> EACCES
		cat /secret/f -> EACCES
		ls /secret -> EACCES
		stat /secret mode -> drwx------
		stat /secret/f mode -> EACCES
		stat /secret/gone mode -> EACCES
		rm /root -> EACCES
		mv /root /home/r -> EACCES
		chmod 777 /root -> EPERM
		chown 5 5 /root -> EPERM
		utime 1 1 /root -> EPERM
		symlink x /l -> EACCES
		write /tmp/mine x
		cat /tmp/theirs -> x
		write /tmp/theirs y
		rm /tmp/theirs -> EPERM
		mv /tmp/theirs /tmp/t -> EPERM
		mv /tmp/mine /tmp/theirs -> EPERM
		rm /tmp/mine
		chown 6 -1 /home/f -> EPERM
		chown -1 6 /home/f -> EPERM
		chown -1 77 /home/f      # a group of theirs
		stat /home/f owner -> 5:77
		chown 5 -1 /home/f
		chmod 0 /home/f
		cat /home/f -> EACCES
		chmod 400 /home/f
		open f w /home/f -> EACCES
		open f rt /home/f -> EACCES
		rm /home/f               # the directory decides
		open f wc /home/g 0
		put f ok
		close f
		cat /home/g -> EACCES
		mkdir /home/d
		chmod 300 /home/d
		write /home/d/f x
		cat /home/d/f -> x
		ls /home/d -> EACCES
		rmall /home/d -> EACCES
		chmod 500 /home/d
		rm /home/d/f -> EACCES
		write /home/d/g x -> EACCES
		rmall /home/d -> EACCES
		chmod 600 /home/d
		cat /home/d/f -> EACCES
		chmod 700 /home/d
		rmall /home/d
		mkdev /home/null 1 3 -> EPERM
		mkfifo /home/p
		as 6
		write /home/g x -> EACCES
		rmall /home -> EACCES
		as 0
		cat /home/g -> ok
		rmall /home
	`},
	{"groups", users, `
		write /f x
		chown 1 77 /f
		chmod 640 /f
		as 5
		cat /f -> x
		open f w /f -> EACCES
		as 0
		chmod 604 /f
		as 5
		cat /f -> EACCES         # the class of the group counts, not that of others
		as 0
		mkdir /d
		chown 5 77 /d
		chmod 2775 /d
		as 5
		write /d/f x
		mkdir /d/e
		stat /d/f owner -> 5:77
		stat /d/e owner mode -> 5:77 dgrwxr-xr-x
		as 0
		write /s x
		chmod 6755 /s
		stat /s mode -> ugrwxr-xr-x
		chown 5 5 /s
		stat /s mode -> -rwxr-xr-x
		chmod 6777 /s
		as 6
		open f w /s
		put f y
		stat /s mode -> -rwxrwxrwx
	`},
	{"devices", nodes, `
		mkdev /null 1 3
		mkdev /zero 1 5
		mkdev /full 1 7
		mkdev /tty 5 0
		mkdev /null 1 3 -> EEXIST
		mkdev /none/null 1 3 -> ENOENT
		stat /null mode size dev -> Dcrw-rw-rw- 0 103
		cat /null ->
		write /null x
		open n rw /null
		put n text
		get n 4 -> EOF
		seek n 0 end -> 0
		trunc n 0 -> EINVAL
		open z rw /zero
		get z 3 -> ...
		put z text
		open f rw /full
		get f 3 -> ...
		put f text -> ENOSPC
		open t rw /tty -> ENXIO
		rm /null
		stat /null mode -> ENOENT
	`},
	{"FIFOs", nodes, `
		mkfifo /p
		stat /p mode size -> prw-r--r-- 0
		mkfifo /p -> EEXIST
		open a rw /p              # does not wait
		open r r /p
		open w w /p
		put w hello
		put a world
		get r 3 -> hel
		get a 100 -> loworld
		seek r 0 -> ESPIPE
		getat r 0 1 -> ESPIPE
		putat w 0 x -> ESPIPE
		trunc w 0 -> EINVAL
		get w 1 -> EBADF
		put r x -> EBADF
		close a
		put w end
		close w
		get r 9 -> end
		get r 9 -> EOF
		open w rw /p
		put w again
		get r 9 -> again
		close r
		put w x
		open z w /p
		close w
		put z x -> EPIPE
		mv /p /q
		ln /q /r
		rm /q
		open a rw /r
	`},
}
