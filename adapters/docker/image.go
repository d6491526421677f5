package docker

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// gateImage is the name of the images that have limpet and nothing else. Their tags are
// of its content.
const gateImage = "limpet-proxy"

// checkStatic fails where a program of Linux needs libraries, which the image of a gate
// does not have.
func checkStatic(program string) error {
	f, err := elf.Open(program)
	if err != nil {
		return fmt.Errorf("the proxy %s is no program of Linux: %w", program, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("the proxy %s needs libraries: build it with CGO_ENABLED=0", program)
		}
	}
	return nil
}

// importImage returns the name of an image with a program, which it makes where the
// engine does not have it.
func importImage(ctx context.Context, engine *client.Client, program string, progress io.Writer) (string, error) {
	f, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return "", err
	}
	image := gateImage + ":" + hex.EncodeToString(sum.Sum(nil))[:16]
	if _, err := engine.ImageInspect(ctx, image); !errdefs.IsNotFound(err) {
		return image, err
	}
	if progress != nil {
		if _, err := fmt.Fprintln(progress, image+": Importing"); err != nil {
			return "", err
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(writeImage(w, f, size)) }()
	defer r.Close()
	answer, err := engine.ImageImport(ctx, client.ImageImportSource{Source: r, SourceName: "-"}, image, client.ImageImportOptions{})
	if err != nil {
		return "", fmt.Errorf("the Docker engine cannot import the proxy: %w", err)
	}
	_, err = io.Copy(io.Discard, answer)
	if err = errors.Join(err, answer.Close()); err == nil {
		_, err = engine.ImageInspect(ctx, image)
	}
	if err != nil {
		return "", fmt.Errorf("the Docker engine cannot import the proxy: %w", err)
	}
	return image, dropImages(ctx, engine, image)
}

// writeImage writes the files of the image.
func writeImage(w io.Writer, f io.Reader, size int64) error {
	t := tar.NewWriter(w)
	if err := t.WriteHeader(&tar.Header{Name: "limpet", Mode: 0o755, Size: size}); err != nil {
		return err
	}
	if _, err := io.Copy(t, f); err != nil {
		return err
	}
	return t.Close()
}

// dropImages removes the images of other versions that no container uses.
func dropImages(ctx context.Context, engine *client.Client, but string) error {
	list, err := engine.ImageList(ctx, client.ImageListOptions{Filters: client.Filters{}.Add("reference", gateImage)})
	if err != nil {
		return err
	}
	for _, i := range list.Items {
		for _, tag := range i.RepoTags {
			if tag == but {
				continue
			}
			if _, err := engine.ImageRemove(ctx, tag, client.ImageRemoveOptions{}); err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) {
				return err
			}
		}
	}
	return nil
}
