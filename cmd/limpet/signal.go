package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/limpet-sh/limpet/builtins"
)

// hostSignals passes signals that the program gets on to the processes of a script,
// until stop is called.
func hostSignals(which ...os.Signal) (signals <-chan builtins.Signal, stop func()) {
	got, out, quit := make(chan os.Signal, 1), make(chan builtins.Signal), make(chan struct{})
	signal.Notify(got, which...)
	go func() {
		for {
			select {
			case s := <-got:
				n, _ := s.(syscall.Signal)
				select {
				case out <- builtins.Signal(n):
				case <-quit:
					return
				}
			case <-quit:
				return
			}
		}
	}()
	return out, func() {
		signal.Stop(got)
		close(quit)
	}
}
