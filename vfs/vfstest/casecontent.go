package vfstest

// contentCases are about open files.
var contentCases = []testCase{
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
}
