package vfstest

// posixCases hold each operation to what POSIX and Linux say of it, kind of
// failure by kind of failure.
var posixCases = []testCase{
	{"lengths of names", nothing, `
		mkdir /NAME(255)
		write /NAME(255)/NAME(255) x
		cat /NAME(255)/NAME(255) -> x
		mkdir /NAME(256) -> ENAMETOOLONG
		mkdir /NAME(256)/x -> ENAMETOOLONG
		open f wc /NAME(256) -> ENAMETOOLONG
		open f r /NAME(256) -> ENAMETOOLONG
		open f wc /NAME(255)/NAME(256) -> ENAMETOOLONG
		write /f x
		symlink x /NAME(256) -> ENAMETOOLONG
		ln /f /NAME(256) -> ENAMETOOLONG
		ln /NAME(256) /g -> ENAMETOOLONG
		mv /f /NAME(256) -> ENAMETOOLONG
		mv /NAME(256) /g -> ENAMETOOLONG
		rm /NAME(256) -> ENAMETOOLONG
		stat /NAME(256) size -> ENAMETOOLONG
		lstat /NAME(256) size -> ENAMETOOLONG
		stat /NAME(256)/x size -> ENAMETOOLONG
		readlink /NAME(256) -> ENAMETOOLONG
		chmod 644 /NAME(256) -> ENAMETOOLONG
		utime 1 2 /NAME(256) -> ENAMETOOLONG
		ls /NAME(256) -> ENAMETOOLONG
		symlink NAME(256) /l
		cat /l -> ENAMETOOLONG
		symlink NAME(4095) /longest
		symlink NAME(4096) /m -> ENAMETOOLONG
		cat /DOTS(2000)f -> x
		stat /DOTS(2048)f size -> ENAMETOOLONG
		open g wc /DOTS(2048)g -> ENAMETOOLONG
		mkdir /DOTS(2048)g -> ENAMETOOLONG
		rm /DOTS(2048)f -> ENAMETOOLONG
		mv /DOTS(2048)f /g -> ENAMETOOLONG
		mv /f /DOTS(2048)g -> ENAMETOOLONG
		ln /f /DOTS(2048)g -> ENAMETOOLONG
		symlink f /DOTS(2048)g -> ENAMETOOLONG
		readlink /DOTS(2048)l -> ENAMETOOLONG
	`},
	{"loops of links", nothing, `
		symlink loop /loop
		symlink b /a
		symlink a /b
		write /f x
		stat /loop size -> ELOOP
		stat /a size -> ELOOP
		stat /loop/x size -> ELOOP
		lstat /a mode -> Lrwxrwxrwx
		lstat /a/x mode -> ELOOP
		open f r /loop -> ELOOP
		open f wc /loop -> ELOOP
		open f wcx /loop -> EEXIST
		open f wc /loop/x -> ELOOP
		mkdir /loop -> EEXIST
		mkdir /loop/x -> ELOOP
		rm /loop/x -> ELOOP
		mv /loop/x /y -> ELOOP
		mv /f /loop/x -> ELOOP
		ln /loop/x /y -> ELOOP
		ln /f /loop/x -> ELOOP
		ln /f /loop -> EEXIST
		symlink x /loop/y -> ELOOP
		symlink x /loop -> EEXIST
		readlink /loop -> loop
		readlink /loop/x -> ELOOP
		chmod 644 /loop -> ELOOP
		chmod 644 /loop/x -> ELOOP
		utime 1 2 /loop -> ELOOP
		lutime 1 2 /loop
		ls /loop -> ELOOP
		mv /loop /other
		readlink /other -> loop
		rm /a
		rm /b
		chain /l 41 /f
		cat /l40 -> x
		cat /l41 -> ELOOP
		write /l41 y -> ELOOP
		write /l40 y
		cat /f -> y
		symlink . /d
		cat /REPEAT(40,d)f -> y
		cat /REPEAT(41,d)f -> ELOOP
		cat /REPEAT(39,d)l1 -> y
		cat /REPEAT(39,d)l2 -> ELOOP
		readlink /REPEAT(40,d)l2 -> /l1
	`},
	{"files that are no directories", nothing, `
		write /f x
		mkdir /d
		symlink f /l
		stat /f/x size -> ENOTDIR
		lstat /f/x size -> ENOTDIR
		stat /l/x size -> ENOTDIR
		open g r /f/x -> ENOTDIR
		open g wc /f/x -> ENOTDIR
		open g wc /l/x -> ENOTDIR
		mkdir /f/x -> ENOTDIR
		rm /f/x -> ENOTDIR
		mv /f/x /y -> ENOTDIR
		mv /d /f/x -> ENOTDIR
		mv /f /f/x -> ENOTDIR
		ln /f/x /y -> ENOTDIR
		ln /f /f/x -> ENOTDIR
		symlink x /f/y -> ENOTDIR
		readlink /f/x -> ENOTDIR
		chmod 644 /f/x -> ENOTDIR
		utime 1 2 /f/x -> ENOTDIR
		lutime 1 2 /f/x -> ENOTDIR
		ls /f/x -> ENOTDIR
		stat /f/ size -> ENOTDIR
		lstat /l/ size -> ENOTDIR
		chmod 600 /f/ -> ENOTDIR
		chmod 600 /l/ -> ENOTDIR
		utime 1 2 /f/ -> ENOTDIR
		ln /f/ /g -> ENOTDIR
		mv /d /l -> ENOTDIR
		mv /d /l/ -> ENOTDIR
	`},
	{"what is not there", nothing, `
		write /f x
		symlink gone /l
		stat /none/x size -> ENOENT
		lstat /none/x size -> ENOENT
		stat /l size -> ENOENT
		stat /l/x size -> ENOENT
		open g r /none/x -> ENOENT
		open g wc /none/x -> ENOENT
		open g wc /l/x -> ENOENT
		mkdir /none/x -> ENOENT
		rm /none/x -> ENOENT
		rm /none -> ENOENT
		mv /none /y -> ENOENT
		mv /none/x /y -> ENOENT
		mv /f /none/x -> ENOENT
		ln /none /y -> ENOENT
		ln /none/x /y -> ENOENT
		ln /f /none/x -> ENOENT
		symlink x /none/y -> ENOENT
		readlink /none -> ENOENT
		readlink /none/x -> ENOENT
		chmod 644 /none -> ENOENT
		chmod 644 /none/x -> ENOENT
		chmod 644 /l -> ENOENT
		utime 1 2 /none -> ENOENT
		lutime 1 2 /none -> ENOENT
		ls /none -> ENOENT
		mkdirall /l -> EEXIST
		open g wc /l
		close g
		ls / -> f gone lL
	`},
	{"every pair of a rename", nothing, `
		write /file 1
		write /file2 2
		mkdir /empty
		mkdir /empty2
		mkdirall /full/sub
		symlink file /link
		symlink full /dirlink
		mv /file /empty -> EISDIR
		mv /file /full -> EISDIR
		mv /link /empty -> EISDIR
		mv /empty /file -> ENOTDIR
		mv /empty /link -> ENOTDIR
		mv /empty /dirlink -> ENOTDIR
		mv /full /file -> ENOTDIR
		mv /empty /full -> ENOTEMPTY
		mv /full /full
		mv /full /full/sub -> EINVAL
		mv /full /full/sub/x -> EINVAL
		mv /full/sub /full -> ENOTEMPTY
		mv /empty /empty2
		stat /empty mode -> ENOENT
		mv /full /empty2
		ls /empty2 -> subd
		mv /file /file2
		cat /file2 -> 1
		mv /file2 /link
		lstat /link mode -> -rw-r--r--
		mv /dirlink /link
		readlink /link -> full
		mv /link /link
		mkdir /full
		mv /link/ /x -> ENOTDIR
		mv /empty2 /link/ -> ENOTDIR
		mv /empty2 /full/
		ls / -> fulld linkL
	`},
	{"how files are opened", nothing, `
		mkdir /d
		write /f text
		symlink f /l
		symlink none /dangling
		open a r /d
		open b w /d -> EISDIR
		open b rw /d -> EISDIR
		open b rt /d -> EISDIR
		open b rc /d -> EISDIR
		open b wcx /d -> EEXIST
		open b wcx /f -> EEXIST
		open b wcx /l -> EEXIST
		open b wcx /dangling -> EEXIST
		open b r /dangling -> ENOENT
		open b w /dangling -> ENOENT
		open b rcx /new 600
		fstat b mode size -> -rw------- 0
		put b x -> EBADF
		open c rct /f 600
		fstat c mode size -> -rw-r--r-- 0
		open e wcx /readonly 400
		put e written
		cat /readonly -> written
		open f wcx /nothing 0
		stat /nothing mode -> ----------
		open g wc /l
		put g through
		cat /f -> through
		open h wa /f
		put h more
		cat /f -> throughmore
		rm /f
		stat /l size -> ENOENT
		fstat g links size -> 0 11
	`},
	{"times that operations set", nothing, `
		mkdir /d
		write /f x
		lutime 100 100 /d
		mkdir /d/a
		fresh /d -> true
		lutime 100 100 /d
		mkdir /d/a -> EEXIST
		rm /d/none -> ENOENT
		fresh /d -> false
		write /d/f 1
		fresh /d -> true
		lutime 100 100 /d
		write /d/f 2
		chmod 600 /d/f
		fresh /d -> false
		ln /d/f /d/g
		fresh /d -> true
		lutime 100 100 /d
		symlink x /d/l
		fresh /d -> true
		lutime 100 100 /d
		mv /d/l /d/m
		fresh /d -> true
		lutime 100 100 /d
		mv /d/m /m
		fresh /d -> true
		lutime 100 100 /d
		mv /m /d/m
		fresh /d -> true
		lutime 100 100 /d
		rm /d/m
		fresh /d -> true
		lutime 100 100 /d
		rm /d/a
		fresh /d -> true
		lutime 100 100 /f
		chmod 640 /f
		ln /f /h
		mv /h /i
		fresh /f -> false
		open f w /f
		fresh /f -> false
		put f
		fresh /f -> false
		put f y
		fresh /f -> true
		lutime 100 100 /f
		trunc f 0
		fresh /f -> true
		close f
		lutime 100 100 /f
		open f wt /f
		fresh /f -> true
	`},
	{"a sticky directory", users, `
		mkdir /theirs 1777
		chmod 1777 /theirs
		mkdir /mine 1777
		chmod 1777 /mine
		chown 5 5 /mine
		write /theirs/theirs x
		write /theirs/mine x
		chown 5 5 /theirs/mine
		write /mine/theirs x
		mkdir /theirs/dir
		as 5
		rm /theirs/theirs -> EPERM
		mv /theirs/theirs /theirs/x -> EPERM
		mv /theirs/mine /theirs/theirs -> EPERM
		rm /theirs/dir -> EPERM
		rmall /theirs/dir -> EPERM
		mv /theirs/mine /theirs/moved
		mv /theirs/moved /mine/moved
		mv /mine/theirs /mine/x
		mv /mine/moved /mine/x
		rm /mine/x
		write /theirs/new x
		rm /theirs/new
		as 6
		write /theirs/six x
		rm /mine/none -> ENOENT
		as 0
		rm /theirs/six
		rmall /theirs
	`},
	{"who may search and write", users, `
		mkdir /a 755
		mkdir /a/open
		chmod 777 /a/open
		write /a/open/f x
		chmod 666 /a/open/f
		mkdir /a/open/own
		chown 5 5 /a/open/own
		as 5
		write /a/open/own/f mine
		symlink f /a/open/l
		as 0
		chmod 700 /a
		as 5
		stat /a/open/f size -> EACCES
		open f r /a/open/f -> EACCES
		open f wc /a/open/new -> EACCES
		mkdir /a/open/d -> EACCES
		rm /a/open/f -> EACCES
		mv /a/open/f /a/open/g -> EACCES
		ln /a/open/f /a/open/g -> EACCES
		symlink x /a/open/m -> EACCES
		readlink /a/open/l -> EACCES
		chmod 600 /a/open/own/f -> EACCES
		chown 5 5 /a/open/own/f -> EACCES
		utime 1 2 /a/open/own/f -> EACCES
		mkfifo /a/open/p -> EACCES
		ls /a/open -> EACCES
		as 0
		chmod 755 /a
		chmod 755 /a/open
		as 5
		cat /a/open/f -> x
		write /a/open/f y
		open f wc /a/open/new -> EACCES
		mkdir /a/open/d -> EACCES
		mkdir /a/open/f -> EEXIST
		rm /a/open/f -> EACCES
		rm /a/open/none -> ENOENT
		mv /a/open/f /a/open/g -> EACCES
		mv /a/open/own /a/open/o -> EACCES
		ln /a/open/own/f /a/open/g -> EACCES
		symlink x /a/open/m -> EACCES
		mkfifo /a/open/p -> EACCES
		chmod 600 /a/open/f -> EPERM
		chown 5 5 /a/open/f -> EPERM
		utime 1 2 /a/open/f -> EPERM
		chmod 600 /a/open/own/f
		utime 1 2 /a/open/own/f
		times /a/open/own/f -> 1 2
		chown 5 77 /a/open/own/f
		chown 5 78 /a/open/own/f -> EPERM
		chown 0 77 /a/open/own/f -> EPERM
		as 0
		mkdir /to
		chmod 777 /to
		chmod 777 /a/open
		mkdir /a/open/full
		as 5
		mv /a/open/full /a/open/moved       # its ".." stays
		mv /a/open/moved /to/moved -> EACCES
		mv /a/open/own /to/own
	`},
	{"bits that a change takes away", users, `
		write /f x
		chmod 6755 /f
		chown 5 5 /f
		stat /f mode -> -rwxr-xr-x
		chmod 6755 /f
		stat /f mode -> ugrwxr-xr-x
		as 5
		chmod 4755 /f
		chown -1 77 /f
		stat /f mode owner -> -rwxr-xr-x 5:77
		chmod 2755 /f
		stat /f mode -> grwxr-xr-x
		as 0
		chown 5 99 /f
		as 5
		chmod 2755 /f                        # of a group that they are not in
		stat /f mode -> -rwxr-xr-x
		mkdir /d -> EACCES
		as 0
		mkdir /d
		chmod 6755 /d
		chown 5 5 /d
		stat /d mode -> dugrwxr-xr-x
	`},
	{"nodes", nodes, `
		mkdir /d
		write /f x
		symlink none /l
		mkfifo /f -> EEXIST
		mkfifo /d -> EEXIST
		mkfifo /l -> EEXIST
		mkfifo /none/p -> ENOENT
		mkfifo /f/p -> ENOTDIR
		mkfifo /NAME(256) -> ENAMETOOLONG
		mkfifo /p/ -> ENOENT
		mkfifo /p
		mkdir /p -> EEXIST
		mkdir /p/x -> ENOTDIR
		symlink x /p -> EEXIST
		open g wcx /p -> EEXIST
		ls /p -> ENOTDIR
		readlink /p -> EINVAL
		ln /p /q
		stat /q links mode -> 2 prw-r--r--
		mv /f /q
		stat /p links -> 1
		mv /p /d -> EISDIR
		mv /d /p -> ENOTDIR
		mv /p /q
		chmod 600 /q
		utime 1 2 /q
		stat /q mode -> prw-------
		rm /q
		mkdev /n 1 3
		mkdev /n 1 3 -> EEXIST
		mv /n /m
		stat /m mode dev -> Dcrw-rw-rw- 103
	`},
}
