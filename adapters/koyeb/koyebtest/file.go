package koyebtest

import (
	"net/http"
	"os"
)

func writeFile(w http.ResponseWriter, req request) {
	if err := os.WriteFile(req.Path, []byte(req.Content), 0o644); err != nil {
		answer(w, object{"error": err.Error(), "success": false})
		return
	}
	answer(w, object{"success": true})
}

func readFile(w http.ResponseWriter, req request) {
	data, err := os.ReadFile(req.Path)
	switch {
	case err != nil:
		answer(w, object{"error": err.Error()})
	case len(data) == 0:
		answer(w, object{})
	default:
		answer(w, object{"content": text(data)})
	}
}

// told answers with whether something was done. The status of HTTP says nothing.
func told(w http.ResponseWriter, err error) {
	if err != nil {
		answer(w, object{"error": err.Error(), "success": false})
		return
	}
	answer(w, object{"success": true})
}

func makeDir(w http.ResponseWriter, req request)    { told(w, os.MkdirAll(req.Path, 0o755)) }
func deleteFile(w http.ResponseWriter, req request) { told(w, os.Remove(req.Path)) }
func deleteDir(w http.ResponseWriter, req request)  { told(w, os.RemoveAll(req.Path)) }

// listDir lists a directory; one that is empty has no entries at all.
func listDir(w http.ResponseWriter, req request) {
	entries, err := os.ReadDir(req.Path)
	o := object{}
	if err != nil {
		o["error"] = err.Error()
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if names != nil {
		o["entries"] = names
	}
	answer(w, o)
}
