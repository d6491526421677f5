package client

import (
	"time"
	"unicode/utf8"
)

// A Spec says what a session is to be made of. The zero Spec is an empty workspace
// with the limits of the server and no network.
type Spec struct {
	Profile    string            `json:"profile,omitempty" enum:"hardened,default,interactive" doc:"The limits to begin with. Empty means those of the server."`
	Limits     map[string]string `json:"limits,omitempty" doc:"Single limits by name, such as memory: 64M or time: 5s. None may be above those of the server."`
	Network    []string          `json:"network,omitempty" doc:"Hosts, as HOST or HOST:PORT, that scripts may reach by HTTPS, or the word all. The server must allow them."`
	Env        map[string]string `json:"env,omitempty" doc:"Variables that scripts inherit."`
	Files      []File            `json:"files,omitempty" doc:"Files to begin with."`
	Setup      string            `json:"setup,omitempty" doc:"A script that must succeed before anybody uses the session."`
	TTL        float64           `json:"ttl,omitempty" minimum:"0" doc:"Seconds after which the session is deleted when nobody has used it. Zero means what the server says, which is also the most."`
	State      []byte            `json:"state,omitempty" doc:"A snapshot to begin with, as it was downloaded, in base64."`
	Background bool              `json:"background,omitempty" doc:"Whether there may be processes in the background."`
}

// A File is a file of a session with its content.
type File struct {
	Path    string `json:"path" minLength:"1" doc:"Absolute, or relative to the workspace."`
	Content []byte `json:"content" doc:"The content in base64."`
	Mode    uint32 `json:"mode,omitempty" maximum:"511" doc:"Permissions. Zero means 0644, which is 420."`
}

// A Session is what the server says of a session.
type Session struct {
	ID         string      `json:"id"`
	Created    time.Time   `json:"created"`
	Used       time.Time   `json:"used" doc:"When somebody last used it."`
	Expires    time.Time   `json:"expires" doc:"When it will be deleted unless somebody uses it."`
	Dir        string      `json:"dir" doc:"The directory that the next script starts in."`
	Background bool        `json:"background,omitempty"`
	Running    *Execution  `json:"running,omitempty" doc:"The script that runs now."`
	Executions []Execution `json:"executions" doc:"The latest scripts that have ended, the newest last: at most 32."`
	Snapshots  []Snapshot  `json:"snapshots"`
}

// An Execution is one run of a script.
type Execution struct {
	ID      string    `json:"id"`
	Script  string    `json:"script" doc:"The script, or how it begins where it is longer than 256 bytes."`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	State   State     `json:"state" enum:"running,done,interrupted"`
	Status  int       `json:"status"`
	Stopped string    `json:"stopped,omitempty" doc:"What ended it early."`
}

// A State is how far an execution has come.
type State string

// The states of an execution.
const (
	Running State = "running"
	Done    State = "done"

	// Interrupted says that the server died meanwhile, and nobody knows how far the
	// script came. The session is what it was before it. The server does not run it again.
	Interrupted State = "interrupted"
)

// A Request is a script to run in a session.
type Request struct {
	ID      string            `json:"id,omitempty" maxLength:"64" doc:"A name for this execution. A second request with the same name is refused, so that a client may repeat one whose answer it has missed. Empty means that the server makes one."`
	Script  string            `json:"script"`
	Args    []string          `json:"args,omitempty" doc:"The positional parameters."`
	Env     map[string]string `json:"env,omitempty" doc:"Variables for this script."`
	Dir     string            `json:"dir,omitempty" doc:"Where it starts. Empty means the directory of the session."`
	Stdin   []byte            `json:"stdin,omitempty" doc:"Standard input in base64."`
	Timeout float64           `json:"timeout,omitempty" minimum:"0" doc:"Seconds. Zero means the limit of the session."`
}

// A Result is how a script ended. Output that is not UTF-8 is in the fields that end in
// Bytes too, since a JSON string cannot hold it.
type Result struct {
	ID          string `json:"id"`
	Status      int    `json:"status"`
	Stdout      string `json:"stdout"`
	Stderr      string `json:"stderr"`
	StdoutBytes []byte `json:"stdout_base64,omitempty"`
	StderrBytes []byte `json:"stderr_base64,omitempty"`
	Stopped     string `json:"stopped,omitempty" doc:"The limit, or the other cause, that ended the script early."`
	Dir         string `json:"dir" doc:"The directory that the next script starts in."`
	Usage       Usage  `json:"usage"`
}

// A Usage is what a script has consumed.
type Usage struct {
	Seconds float64 `json:"seconds"`
	Steps   int64   `json:"steps"`
	Memory  int64   `json:"memory_bytes"`
	Output  int64   `json:"output_bytes"`
}

// Out returns the standard output as bytes.
func (r *Result) Out() []byte { return either(r.Stdout, r.StdoutBytes) }

// Err returns the standard error as bytes.
func (r *Result) Err() []byte { return either(r.Stderr, r.StderrBytes) }

// A Chunk is output of a script that still runs: as text, or as bytes where it is not
// UTF-8.
type Chunk struct {
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"base64,omitempty"`
}

// NewChunk returns the chunk that holds data.
func NewChunk(data []byte) Chunk {
	if utf8.Valid(data) {
		return Chunk{Text: string(data)}
	}
	return Chunk{Bytes: data}
}

// Data returns what the chunk holds.
func (c Chunk) Data() []byte { return either(c.Text, c.Bytes) }

func either(text string, data []byte) []byte {
	if data != nil {
		return data
	}
	return []byte(text)
}

// A Snapshot is a state of a session that can be gone back to.
type Snapshot struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Size    int64     `json:"size" doc:"Bytes that the server keeps for it."`
}

// An Entry is a file in a directory.
type Entry struct {
	Name     string    `json:"name"`
	Kind     string    `json:"kind" enum:"file,directory,link,other"`
	Size     int64     `json:"size"`
	Mode     string    `json:"mode" doc:"As ls prints it."`
	Modified time.Time `json:"modified"`
}

// A Change is what has become of a file.
type Change struct {
	Path string `json:"path"`
	Kind string `json:"kind" enum:"created,modified,removed"`
}

// A ProcessRequest is a command to run in the background.
type ProcessRequest struct {
	ID      string            `json:"id,omitempty" doc:"Empty means that the server makes one."`
	Command string            `json:"command" minLength:"1"`
	Dir     string            `json:"dir,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

// A Process is a command that runs, or has run, in the background. One whose status is orphaned
// was lost with a server that has ended.
type Process struct {
	ID       string    `json:"id"`
	Command  string    `json:"command"`
	Status   string    `json:"status" enum:"running,completed,failed,stopped,orphaned"`
	ExitCode int       `json:"exit_code"`
	Started  time.Time `json:"started"`
}

// A ProcessOutput is a part of what a process has printed.
type ProcessOutput struct {
	Process
	Chunk
	Start     int64 `json:"start" doc:"The offset of the first byte."`
	Next      int64 `json:"next" doc:"The offset to go on from."`
	Oldest    int64 `json:"oldest" doc:"The offset of the oldest byte that is kept."`
	Available int64 `json:"available" doc:"How many bytes there have been."`
}

// What the field type of a problem says where a client can do something about it.
const (
	TypeRepeated    = "urn:limpet:repeated"    // there is an execution with the id already
	TypeInterrupted = "urn:limpet:interrupted" // the session is what it was before the request
)
