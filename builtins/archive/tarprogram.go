package archive

import (
	"archive/tar"
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pipe"
)

// A childError is the failure of a program that tar runs.
type childError builtins.Exit

func (e childError) Error() string { return fmt.Sprintf("Child returned status %d", uint8(e)) }

// programMethod returns the method of compressing with the program of -I.
func (j *tarJob) programMethod() *method {
	return &method{
		name:   j.program,
		encode: func(w io.Writer, _ member) (io.WriteCloser, error) { return j.pipeTo(w), nil },
		decode: func(_ *window, r *bufio.Reader, _ *member) (io.Reader, error) { return j.pipeFrom(r), nil },
	}
}

// A tarChild is a program that runs beside tar.
type tarChild struct {
	job    *tarJob
	done   chan struct{}
	status builtins.Exit
	err    error
}

// start runs the program of -I with more arguments.
func (j *tarJob) start(in io.Reader, out io.Writer, end func(), more ...string) *tarChild {
	child := &tarChild{job: j, done: make(chan struct{})}
	args := append(strings.Fields(j.program), more...)
	go func() {
		defer close(child.done)
		defer end()
		child.status, child.err = j.call.Exec(j.ctx, args, func(c *builtins.Call) { c.Stdin, c.Stdout = in, out })
	}()
	return child
}

// wait returns what was wrong with the program.
func (c *tarChild) wait() error {
	<-c.done
	switch {
	case c.err != nil:
		return c.err
	case c.status == builtins.NotFound:
		name := strings.Fields(c.job.program)[0]
		if _, err := c.job.call.LookPath(name); err != nil {
			fmt.Fprintf(c.job.call.Stderr, "tar (child): %s: Cannot exec: No such file or directory\ntar (child): Error is not recoverable: exiting now\n", name)
			return childError(2)
		}
	case c.status == 0:
		return nil
	}
	return childError(c.status)
}

// A childWriter is the input of a program.
type childWriter struct {
	*pipe.Writer
	child *tarChild
}

func (w childWriter) Close() error {
	w.Writer.Close()
	return w.child.wait()
}

func (j *tarJob) pipeTo(w io.Writer) io.WriteCloser {
	in, out := pipe.New()
	return childWriter{out, j.start(in, w, func() { in.Close() })}
}

// A childReader is the output of a program, and ends in its failure.
type childReader struct {
	*pipe.Reader
	child *tarChild
}

func (r childReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err == io.EOF {
		if failure := r.child.wait(); failure != nil {
			err = failure
		}
	}
	return n, err
}

func (j *tarJob) pipeFrom(r io.Reader) io.Reader {
	in, out := pipe.New()
	child := childReader{in, j.start(r, out, func() { out.Close() }, "-d")}
	j.children = append(j.children, child)
	return child
}

// endChildren ends the programs whose output nobody reads any more.
func (j *tarJob) endChildren() {
	for _, c := range j.children {
		c.Close()
		<-c.child.done
	}
}

// toCommand hands the content of a member to the command of --to-command.
func (x *tarExtractor) toCommand(ctx context.Context, r io.Reader, h *tar.Header) error {
	j := x.job
	if h.Typeflag != tar.TypeReg {
		return nil
	}
	env := builtins.WithVariables(j.call.Env, map[string]string{
		"TAR_VERSION": tarVersion, "TAR_ARCHIVE": j.archive, "TAR_VOLUME": "1", "TAR_FORMAT": "gnu", "TAR_SUBCOMMAND": "-x",
		"TAR_BLOCKING_FACTOR": strconv.FormatInt(j.record/512, 10), "TAR_FILETYPE": "f", "TAR_MODE": fmt.Sprintf("%#04o", h.Mode),
		"TAR_FILENAME": h.Name, "TAR_REALNAME": h.Name, "TAR_UNAME": h.Uname, "TAR_GNAME": h.Gname, "TAR_SIZE": strconv.FormatInt(h.Size, 10),
		"TAR_UID": strconv.Itoa(h.Uid), "TAR_GID": strconv.Itoa(h.Gid), "TAR_MTIME": strconv.FormatInt(h.ModTime.Unix(), 10),
	})
	pid := 0
	status, err := j.call.Exec(ctx, []string{"/bin/sh", "-c", j.command}, func(c *builtins.Call) {
		c.Stdin, c.Env, pid = r, env, c.PID
	})
	if err == nil && status != 0 && !j.ignoreCommand {
		j.warn("%d: Child returned status %d", pid, uint8(status))
	}
	return err
}

// tarVersion is the version of GNU tar whose options are understood.
const tarVersion = "1.34"
