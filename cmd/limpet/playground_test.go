package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlayground holds that the page has all its parts; what it does is tested in a browser.
func TestPlayground(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{pageModule, pageRuntime} {
		_, errs, status := command(t, dir, "", "playground", "--assets", dir)
		require.Equal(t, 2, status)
		require.Contains(t, errs, name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("content of "+name), 0o644))
	}
	h := httptest.NewServer(pageHandler(dir))
	defer h.Close()
	for name, kind := range map[string]string{
		"": "text/html; charset=utf-8", "style.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8",
		"worker.js": "text/javascript; charset=utf-8", pageModule: "application/wasm", pageRuntime: "text/javascript; charset=utf-8",
	} {
		resp, err := http.Get(h.URL + "/" + name)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, http.StatusOK, resp.StatusCode, name)
		require.Equal(t, kind, resp.Header.Get("Content-Type"), name)
	}
	_, errs, status := command(t, dir, "", "playground", "--out", "public", "--assets", dir)
	require.Zero(t, status, errs)
	data, err := os.ReadFile(filepath.Join(dir, "public", pageModule))
	require.NoError(t, err)
	require.Equal(t, "content of "+pageModule, string(data))
	require.FileExists(t, filepath.Join(dir, "public", "index.html"))
}
