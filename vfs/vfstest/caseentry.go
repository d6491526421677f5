package vfstest

// entryCases are about entries of directories.
var entryCases = []testCase{
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
}
