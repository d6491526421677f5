package vfstest

// nodeCases are about files that are none.
var nodeCases = []testCase{
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
