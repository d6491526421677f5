package vfstest

// linkCases are about links and names that change.
var linkCases = []testCase{
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
		symlink f/ /a/slash
		cat /a/slash -> ENOTDIR
		append /a/slash y -> EISDIR
		rm /a/slash
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
}
