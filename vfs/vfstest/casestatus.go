package vfstest

// statusCases are about the status of files.
var statusCases = []testCase{
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
}
