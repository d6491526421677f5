package vfstest

// userCases are about several users.
var userCases = []testCase{
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
}
