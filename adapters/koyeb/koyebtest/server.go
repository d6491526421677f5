// Package koyebtest is a stand-in for Koyeb: a control plane, an edge and the executor
// of the sandboxes, with the faults that were measured in the real ones. Scripts run as
// processes of this host.
package koyebtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Token is the one that the control plane knows.
const Token = "koyebtest-token"

// A Server is a stand-in. Its fields may be set before it is used.
type Server struct {
	// URL is the address of the control plane, after Start.
	URL string

	// Polls is how many looks at a deployment it takes to be HEALTHY.
	Polls int

	// Fate is what the deployment becomes instead, such as ERROR; or, with the value
	// "PENDING", that it stays so for ever.
	Fate string

	// NoMetadata leaves out the address of the sandbox, as deployments did before.
	// The edge is reached by the domain of the app then, ID.koyeb.test.
	NoMetadata bool

	// Unhealthy is how many looks at the health of an executor fail.
	Unhealthy int

	// Unready is how many requests to an executor the edge answers with 503.
	Unready int

	// Fault, if not nil, is asked before each request to the executor what goes wrong:
	// "" is nothing; "drop" closes the connection before the request is done, "lose" after
	// it; "hang" never answers; "garbage" answers with something else.
	Fault func(path string) string

	// RefuseService and RefuseDelete are statuses that the control plane answers the
	// creation of a service, and so many deletions, with.
	RefuseService int
	RefuseDelete  int

	http *httptest.Server

	mu     sync.Mutex
	serial int
	apps   map[string]*app
	quit   chan struct{}
}

// An app has one service.
type app struct {
	id, name string
	service  *service
}

// A service is a sandbox.
type service struct {
	id, key string
	body    struct {
		App        string         `json:"app_id"`
		Definition map[string]any `json:"definition"`
		LifeCycle  map[string]any `json:"life_cycle"`
	}
	looks    int
	asleep   bool
	executor *executor
}

// Start starts the server.
func (s *Server) Start() {
	s.apps, s.quit = map[string]*app{}, make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/apps", s.authorized(s.createApp))
	mux.HandleFunc("GET /v1/apps", s.authorized(s.listApps))
	mux.HandleFunc("GET /v1/apps/{id}", s.authorized(s.getApp))
	mux.HandleFunc("DELETE /v1/apps/{id}", s.authorized(s.deleteApp))
	mux.HandleFunc("POST /v1/services", s.authorized(s.createService))
	mux.HandleFunc("GET /v1/services/{id}", s.authorized(s.getService))
	mux.HandleFunc("GET /v1/deployments/{id}", s.authorized(s.getDeployment))
	mux.HandleFunc("GET /v1/services", s.authorized(s.listServices))
	mux.HandleFunc("DELETE /v1/services/{id}", s.authorized(s.deleteService))
	mux.HandleFunc("/koyeb-sandbox/", s.edge)
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
}

// Close ends the server and everything that its sandboxes have started.
func (s *Server) Close() {
	close(s.quit)
	s.mu.Lock()
	for _, a := range s.apps {
		a.end()
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Apps returns the names of the apps that there are.
func (s *Server) Apps() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.apps {
		names = append(names, a.name)
	}
	return names
}

// LifeCycles returns the life cycles of the services that there are.
func (s *Server) LifeCycles() (list []map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.apps {
		if a.service != nil {
			list = append(list, a.service.body.LifeCycle)
		}
	}
	return list
}

// Sleep lets the machines of all sandboxes sleep, as they do when nobody has asked them
// for anything for long enough: what runs on them ends, and what is in their TMPDIR is
// lost. The next request finds nobody there, and wakes them.
func (s *Server) Sleep() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.apps {
		if v := a.service; v != nil {
			v.executor.end()
			awake, err := newExecutor(v.executor.secret)
			if err != nil {
				return err
			}
			v.executor, v.asleep = awake, true
		}
	}
	return nil
}

func (a *app) end() {
	if a.service != nil {
		a.service.executor.end()
	}
}

// authorized lets requests with the token through.
func (s *Server) authorized(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+Token {
			refuse(w, http.StatusUnauthorized, "unauthorized")
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		handle(w, r)
	}
}

// refuse answers with an error of the control plane.
func refuse(w http.ResponseWriter, status int, message string, fields ...map[string]string) {
	body := map[string]any{"status": status, "code": strings.ReplaceAll(http.StatusText(status), " ", "_"), "message": message}
	if len(fields) > 0 {
		body["fields"] = fields
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has gone away where it fails
}

// answer answers with a value.
func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

// object is one of JSON.
type object = map[string]any

func (s *Server) createApp(w http.ResponseWriter, r *http.Request) {
	var body struct{ Name string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Name == "" {
		refuse(w, http.StatusBadRequest, "Validation error", map[string]string{"field": "name", "description": "required"})
		return
	}
	s.serial++
	a := &app{id: fmt.Sprintf("app-%d", s.serial), name: body.Name}
	s.apps[a.id] = a
	answer(w, object{"app": object{"id": a.id, "name": a.name}})
}

func (s *Server) listApps(w http.ResponseWriter, r *http.Request) {
	list := []object{}
	for _, a := range s.apps {
		if strings.Contains(a.name, r.URL.Query().Get("name")) {
			list = append(list, object{"id": a.id, "name": a.name})
		}
	}
	answer(w, object{"apps": list, "count": len(list)})
}

func (s *Server) getApp(w http.ResponseWriter, r *http.Request) {
	a := s.apps[r.PathValue("id")]
	if a == nil {
		refuse(w, http.StatusNotFound, "app not found")
		return
	}
	answer(w, object{"app": object{"id": a.id, "name": a.name, "domains": []object{{"name": a.id + ".koyeb.test"}}}})
}

func (s *Server) deleteApp(w http.ResponseWriter, r *http.Request) {
	a := s.apps[r.PathValue("id")]
	switch {
	case a == nil:
		refuse(w, http.StatusNotFound, "app not found")
	case s.RefuseDelete > 0:
		s.RefuseDelete--
		refuse(w, http.StatusInternalServerError, "internal error")
	default:
		delete(s.apps, a.id)
		a.end()
		answer(w, object{})
	}
}

func (s *Server) createService(w http.ResponseWriter, r *http.Request) {
	v := &service{}
	if err := json.NewDecoder(r.Body).Decode(&v.body); err != nil {
		refuse(w, http.StatusBadRequest, "invalid body")
		return
	}
	if v.body.Definition["type"] != "SANDBOX" {
		refuse(w, http.StatusBadRequest, "Validation error", map[string]string{"field": "definition.type", "description": "unknown type"})
		return
	}
	if r.URL.Query().Get("dry_run") == "true" {
		answer(w, object{"service": object{}})
		return
	}
	a := s.apps[v.body.App]
	switch {
	case a == nil:
		refuse(w, http.StatusNotFound, "app not found")
		return
	case s.RefuseService != 0:
		refuse(w, s.RefuseService, "no capacity")
		return
	}
	s.serial++
	v.id, v.key = fmt.Sprintf("service-%d", s.serial), fmt.Sprintf("key-%d", s.serial)
	secret := ""
	for _, e := range v.body.Definition["env"].([]any) {
		if e := e.(object); e["key"] == "SANDBOX_SECRET" {
			secret, _ = e["value"].(string)
		}
	}
	var err error
	if v.executor, err = newExecutor(secret); err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	a.service = v
	answer(w, object{"service": object{"id": v.id, "app_id": a.id, "status": "STARTING", "latest_deployment_id": "deployment-" + v.id}})
}

// find returns the app of a service or deployment.
func (s *Server) find(id string) *app {
	for _, a := range s.apps {
		if a.service != nil && a.service.id == strings.TrimPrefix(id, "deployment-") {
			return a
		}
	}
	return nil
}

func (s *Server) getService(w http.ResponseWriter, r *http.Request) {
	a := s.find(r.PathValue("id"))
	if a == nil {
		refuse(w, http.StatusNotFound, "service not found")
		return
	}
	o := object{"id": a.service.id, "app_id": a.id, "status": "STARTING", "active_deployment_id": "", "latest_deployment_id": "deployment-" + a.service.id}
	if s.status(a.service) == "HEALTHY" {
		o["status"], o["active_deployment_id"] = "HEALTHY", o["latest_deployment_id"]
	}
	answer(w, object{"service": o})
}

func (s *Server) listServices(w http.ResponseWriter, r *http.Request) {
	list := []object{}
	for _, a := range s.apps {
		if v := a.service; v != nil && (r.URL.Query().Get("app_id") == "" || r.URL.Query().Get("app_id") == a.id) {
			list = append(list, object{"id": v.id, "app_id": a.id, "name": v.body.Definition["name"], "status": s.status(v)})
		}
	}
	answer(w, object{"services": list, "limit": len(list), "offset": 0, "count": len(list), "has_next": false})
}

// deleteService deletes a service and, as the adapter wants it of its apps, the app that
// is empty then.
func (s *Server) deleteService(w http.ResponseWriter, r *http.Request) {
	a := s.find(r.PathValue("id"))
	if a == nil {
		refuse(w, http.StatusNotFound, "service not found")
		return
	}
	a.end()
	delete(s.apps, a.id)
	answer(w, object{})
}

// status returns that of a deployment after so many looks.
func (s *Server) status(v *service) string {
	switch {
	case v.asleep:
		return "SLEEPING"
	case v.looks == 0 || s.Fate == "PENDING":
		return "PENDING"
	case v.looks <= s.Polls:
		return "PROVISIONING"
	case s.Fate != "":
		return s.Fate
	default:
		return "HEALTHY"
	}
}

func (s *Server) getDeployment(w http.ResponseWriter, r *http.Request) {
	a := s.find(r.PathValue("id"))
	if a == nil {
		refuse(w, http.StatusNotFound, "deployment not found")
		return
	}
	a.service.looks++
	status := s.status(a.service)
	o := object{"id": r.PathValue("id"), "status": status, "messages": []string{"it is " + status}, "definition": a.service.body.Definition, "metadata": object{}}
	if status == "HEALTHY" && !s.NoMetadata {
		o["metadata"] = object{"sandbox": object{"public_url": s.URL, "routing_key": a.service.key}}
	}
	answer(w, object{"deployment": o})
}

// edge passes a request on to the executor that it is for.
func (s *Server) edge(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/koyeb-sandbox")
	s.mu.Lock()
	var to *service
	for _, a := range s.apps {
		byDomain := strings.HasPrefix(r.Host, a.id+".koyeb.test")
		if v := a.service; v != nil && (byDomain || v.key == r.Header.Get("X-Routing-Key")) {
			to = v
		}
	}
	late := &s.Unready
	if path == "/health" {
		late = &s.Unhealthy
	}
	unready := *late > 0
	if unready {
		*late--
	}
	var at *executor
	if to != nil {
		unready = unready || to.asleep
		at, to.asleep = to.executor, false
	}
	fault := ""
	if s.Fault != nil && path != "/health" {
		fault = s.Fault(path)
	}
	s.mu.Unlock()
	switch {
	case to == nil:
		http.NotFound(w, r)
	case unready:
		http.Error(w, "no healthy upstream", http.StatusServiceUnavailable)
	case fault == "drop":
		panic(http.ErrAbortHandler)
	case fault == "lose":
		at.serve(httptest.NewRecorder(), r, path)
		panic(http.ErrAbortHandler)
	case fault == "hang":
		select {
		case <-r.Context().Done():
		case <-s.quit:
		}
	case fault == "garbage":
		fmt.Fprint(w, "<html>")
	default:
		at.serve(w, r, path)
	}
}
