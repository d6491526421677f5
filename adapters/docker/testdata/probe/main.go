// Command probe tries what a program in a sandbox without a way out must not be able to,
// and prints what it could: probe ADDRESS...
package main

import (
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

func main() {
	var all sync.WaitGroup
	for _, address := range os.Args[1:] {
		all.Go(func() {
			if c, err := net.DialTimeout("tcp", address, 3*time.Second); err == nil {
				fmt.Println("tcp", c.RemoteAddr())
			}
		})
		all.Go(func() { datagram(address) })
	}
	for name, kind := range map[string][3]int{
		"raw": {syscall.AF_INET, syscall.SOCK_RAW, syscall.IPPROTO_ICMP}, "raw6": {syscall.AF_INET6, syscall.SOCK_RAW, 58},
		"packet": {syscall.AF_PACKET, syscall.SOCK_RAW, 0x0300},
	} {
		if _, err := syscall.Socket(kind[0], kind[1], kind[2]); err == nil {
			fmt.Println("socket", name)
		}
	}
	all.Go(func() {
		if list, err := net.LookupHost("example.com"); err == nil {
			fmt.Println("name", list)
		}
	})
	list, _ := net.InterfaceAddrs()
	for _, a := range list {
		if ip := a.(*net.IPNet).IP; ip.To4() == nil {
			fmt.Println("IPv6", ip)
		}
	}
	all.Wait()
	fmt.Println("done")
}

// datagram sends one, and waits for an answer.
func datagram(address string) {
	c, err := net.Dial("udp", address)
	if err != nil {
		return
	}
	_ = c.SetDeadline(time.Now().Add(3 * time.Second))
	_, _ = c.Write([]byte("hello"))
	if n, err := c.Read(make([]byte, 100)); err == nil {
		fmt.Println("udp", address, n)
	}
}
