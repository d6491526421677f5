package vfstest

// tableCases go through the calls that change names and attributes, each with every kind
// of file, with the names that mean a directory itself, and by its owner, others of the
// group, others and user 0.
var tableCases = []testCase{
	{"dots and slashes", nothing, `
		mkdir /d
		mkdir /d/e
		write /f x
		symlink d /l
		mkdir /d/. -> EEXIST
		mkdir /d/.. -> EEXIST
		mkdir /n/. -> ENOENT
		mkdir /n/
		mkdir /f/ -> EEXIST
		rm /n/
		mkdir /l/ -> EEXIST
		mkdir / -> EEXIST
		mv /d/. /x -> EBUSY
		mv /d/.. /x -> EBUSY
		mv /d /d/. -> EBUSY
		mv /d /d/e/.. -> EBUSY
		mv /d/e /d/e/
		mv /d/e/ /d/g/
		mv /d/g /d/e
		mv /f /d/e/ -> ENOTDIR
		mv /f /g/ -> ENOTDIR
		ln /d /x -> EPERM
		ln /d/. /x -> EPERM
		ln /f /d/. -> EEXIST
		ln /f /d/.. -> EEXIST
		ln /f /x/ -> ENOENT
		ln /l /m
		readlink /m -> d
		lstat /m links -> 2
		symlink x / -> EEXIST
		symlink x /d/. -> EEXIST
		symlink x /x/ -> ENOENT
		symlink x /f/ -> EEXIST
		readlink /d -> EINVAL
		readlink /f -> EINVAL
		readlink /l/ -> EINVAL
		readlink /l/. -> EINVAL
		open g wc /d/. -> EISDIR
		open g wc /x/ -> EISDIR
		open g r /f/ -> ENOTDIR
		open g r /f/. -> ENOTDIR
		open g r /l/
		next g 0 -> e
		stat /d/../f size -> 1
		stat /f/.. size -> ENOTDIR
		stat /none/.. size -> ENOENT
		stat /../../f size -> 1
	`},
	{"links of directories", nothing, `
		mkdir /a
		mkdir /a/b
		mkdir /a/b/c
		mkdir /t
		stat /a links -> 3
		mv /a/b /t/b
		stat /a links -> 2
		stat /t links -> 3
		mkdir /t/e
		mv /t/b/c /t/e
		stat /t links -> 4
		stat /t/b links -> 2
		mv /t/b /t/e
		stat /t links -> 3
		rm /t/e
		stat /t links -> 2
		write /f x
		ln /f /t/g
		mv /f /t/g
		stat /f links -> 2
		rm /f
		stat /t/g links -> 1
		open h r /t/g
		rm /t/g
		fstat h links -> 0
		mkdir /gone
		open d r /gone
		rm /gone
		fstat d links -> 0
		stat / links -> 4
	`},
	{"attributes of links", users, `
		write /f x
		symlink f /l
		chown 5 6 /l
		stat /f owner -> 5:6
		lstat /l owner -> 0:0
		lchown 7 8 /l
		lstat /l owner -> 7:8
		lchown -1 9 /l
		lstat /l owner -> 7:9
		chmod 600 /l
		stat /f mode -> -rw-------
		lstat /l mode -> Lrwxrwxrwx
		lutime 10 20 /l
		as 7
		lchown 7 77 /l
		lchown 8 -1 /l -> EPERM
		chown -1 77 /l -> EPERM
		as 5
		chown -1 77 /f
		lchown -1 77 /l -> EPERM
	`},
	{"owners, groups and others", users, `
		write /f text
		chown 5 77 /f
		mkdir /d
		chown 5 77 /d
		write /d/x x
		chmod 666 /d/x
		chmod 070 /f
		chmod 070 /d
		as 5
		cat /f -> EACCES
		open f w /f -> EACCES
		ls /d -> EACCES
		cat /d/x -> EACCES
		write /d/y y -> EACCES
		rm /d/x -> EACCES
		as 6
		cat /f -> text
		open f rw /f
		close f
		ls /d -> x
		write /d/x y
		write /d/y y
		rm /d/y
		as 0
		chmod 007 /f
		chmod 007 /d
		as 6
		cat /f -> EACCES
		ls /d -> EACCES
		rm /d/x -> EACCES
		as 5
		cat /f -> EACCES
		as 0
		chmod 000 /f
		chmod 000 /d
		cat /f -> text
		ls /d -> x
		write /d/y y
		rm /d/y
		chmod 100 /d
		as 5
		cat /d/x -> y
		ls /d -> EACCES
		rm /d/x -> EACCES
		chmod 500 /d
		ls /d -> x
		rm /d/x -> EACCES
		mv /d/x /d/y -> EACCES
		chmod 300 /d
		mv /d/x /d/y
		rm /d/y
		as 6
		chmod 777 /f -> EPERM
		chmod 777 /d -> EPERM
		utime 1 2 /d -> EPERM
		chown 6 -1 /f -> EPERM
		chown -1 -1 /f
		as 5
		chown -1 -1 /f
		chown 5 77 /f
		chown 5 5 /f
		chown 5 6 /f -> EPERM
		chmod 1644 /f
		stat /f mode -> trw-r--r--
		chmod 4755 /f
		as 6
		lutime 1 1 /f -> EPERM
		chown -1 -1 /f -> EPERM              # it would take the bit away
	`},
	{"bits and who changes the owner", users, `
		write /f x
		chown 5 77 /f
		chmod 6755 /f
		chown -1 -1 /f
		stat /f mode -> -rwxr-xr-x
		chmod 6644 /f
		chown -1 78 /f
		stat /f mode -> grw-r--r--
		chmod 6755 /f
		chown 5 77 /f
		stat /f mode -> -rwxr-xr-x
		chmod 4755 /f
		as 5
		chown 5 5 /f
		stat /f mode -> -rwxr-xr-x
		chmod 6755 /f
		open g wa /f
		put g y
		close g
		stat /f mode -> -rwxr-xr-x
		chmod 6755 /f
		open g wt /f
		close g
		stat /f mode -> -rwxr-xr-x
		chmod 6755 /f
		as 0
		open g wa /f
		put g y
		close g
		stat /f mode -> ugrwxr-xr-x
		cut /f 0
		stat /f mode -> ugrwxr-xr-x
	`},
	{"sticky directories and renames", users, `
		mkdir /s
		chmod 1777 /s
		chown 4 4 /s
		mkdir /o
		chmod 777 /o
		write /s/a 1
		chown 5 5 /s/a
		write /s/b 2
		chown 6 6 /s/b
		mkdir /s/d
		chown 6 6 /s/d
		chmod 777 /s/d
		write /o/c 3
		chown 6 6 /o/c
		as 5
		mv /s/b /o/b -> EPERM
		mv /o/c /s/b -> EPERM
		mv /o/c /s/a
		cat /s/a -> 3
		mv /s/a /s/x -> EPERM
		mv /s/d /o/d -> EPERM
		write /s/d/in x
		mv /s/d/in /s/in
		rm /s/in
		as 6
		mv /s/a /s/b
		mv /s/d /o/d
		as 4
		mv /s/b /s/z
		rm /s/z
		as 0
		rm /s
	`},
}
