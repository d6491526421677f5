package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/tools"
	"github.com/stretchr/testify/require"
)

// The names, and what models are told of.
func TestNames(t *testing.T) {
	var names, flat []string
	for _, tool := range tools.All() {
		names = append(names, tool.Name)
		if !tool.Extension {
			flat = append(flat, tool.Flat)
		}
		require.Regexp(t, `^[a-z_]{1,64}$`, tool.Flat)
		require.NotEmpty(t, tool.Title)
		require.NotEmpty(t, tool.Description)
	}
	require.Subset(t, names, []string{"file_system.read_file", "file_system.write_file", "file_system.search_replace", "file_system.bash",
		"process.start", "process.output", "process.write", "process.list", "process.stop"})
	require.Equal(t, []string{"read_file", "write_file", "edit", "bash", "process_start", "process_output", "process_write", "process_list", "process_stop"}, flat)
}

// Every field of every argument and result, with its type, default and bounds.
func TestFields(t *testing.T) {
	want := map[string]string{
		"read_file":      "path:string! offset:integer=0>=0 limit:null|integer=null>=1",
		"write_file":     "path:string! content:string!",
		"edit":           "file_path:string! old_string:string!len1 new_string:string! replace_all:boolean=false",
		"bash":           "command:string!len1 timeout_seconds:integer=300>=1<=300",
		"process_start":  "command:string! cwd:string=\"\" env:object={}",
		"process_output": "processId:string! from:string=\"start\"[start end] cursor:integer=0>=0 waitMs:integer=0>=0<=30000 maxBytes:integer=16000>=1",
		"process_write":  "processId:string! text:null|string control:array bytesBase64:null|string",
		"process_list":   "",
		"process_stop":   "processId:string!",
	}
	out := map[string]string{
		"read_file":      "path content file_size_bytes returned_bytes offset lines_read was_truncated",
		"write_file":     "path bytes_written file_existed",
		"edit":           "file lines_changed warnings",
		"bash":           "command stdout stderr returncode was_truncated",
		"process_start":  "processId status",
		"process_output": "processId status exitCode output outputStartCursor nextCursor bytesAvailable hasMore truncatedBefore",
		"process_write":  "processId status bytesWritten",
		"process_list":   "processes",
		"process_stop":   "processId status exitCode",
	}
	for _, tool := range tools.All() {
		if tool.Extension {
			continue
		}
		var got []string
		for _, name := range tool.Input.PropertyOrder {
			p := tool.Input.Properties[name]
			if strings.HasPrefix(p.Description, "An extension") {
				continue
			}
			s := name + ":" + p.Type + strings.Join(p.Types, "|")
			if slices.Contains(tool.Input.Required, name) {
				s += "!"
			}
			if p.MinLength != nil {
				s += fmt.Sprint("len", *p.MinLength)
			}
			if p.Default != nil {
				s += "=" + string(p.Default)
			}
			if p.Enum != nil {
				s += fmt.Sprint(p.Enum)
			}
			if p.Minimum != nil {
				s += fmt.Sprint(">=", *p.Minimum)
			}
			if p.Maximum != nil {
				s += fmt.Sprint("<=", *p.Maximum)
			}
			got = append(got, s)
		}
		require.Equal(t, want[tool.Flat], strings.Join(got, " "), tool.Flat)
		require.NotNil(t, tool.Input.AdditionalProperties, "other keys are rejected")
		var fields []string
		for _, name := range tool.Output.PropertyOrder {
			if !strings.HasPrefix(tool.Output.Properties[name].Description, "An extension") {
				fields = append(fields, name)
			}
		}
		require.Equal(t, out[tool.Flat], strings.Join(fields, " "), tool.Flat)
	}
	var listed struct {
		Processes []map[string]any `json:"processes"`
	}
	b := open(t, limpet.Config{Background: true}, tools.Config{})
	b.ok("process_start", "command", "true")
	require.NoError(t, json.Unmarshal(b.Call(t.Context(), tools.Call{Name: "process.list"}).JSON(), &listed))
	require.Equal(t, []string{"command", "exitCode", "outputPath", "processId", "status"}, slices.Sorted(maps.Keys(listed.Processes[0])))
	require.Nil(t, listed.Processes[0]["outputPath"])
}

// The texts of errors.
func TestErrorTexts(t *testing.T) {
	t.Parallel()
	everywhere(t, tools.Config{}, func(b *box) {
		t := b.T
		b.sh(`mkdir d; mkfifo fifo; ln -s text link; printf 'a\0b' > binary; printf 'x = 1\nx = 1\nx = 1\n' > text; ln -s /etc out; echo same > same`)
		big := strings.Repeat("x", 64_001)
		for _, c := range []struct {
			tool string
			args []any
			text string
		}{
			{"read_file", []any{"path", ""}, "Path cannot be empty"},
			{"read_file", []any{"path", "nope"}, "File not found at: nope"},
			{"read_file", []any{"path", "d"}, "Path is a directory, not a file: d"},
			{"read_file", []any{"path", "fifo"}, "Path is not a regular file: fifo"},
			{"read_file", []any{"path", "link"}, "Path is not a regular file: link"},
			{"read_file", []any{"path", "/etc/passwd"}, "Path is outside the workspace: /etc/passwd"},
			{"read_file", []any{"path", "../../etc/passwd"}, "Path is outside the workspace: ../../etc/passwd"},
			{"read_file", []any{"path", "out/passwd"}, "Path is outside the workspace: out/passwd"},
			{"read_file", []any{"path", "~/x"}, "Path is outside the workspace: ~/x"},
			{"read_file", []any{"path", b.Sandbox().Workspace() + "-evil/x"}, "Path is outside the workspace: " + b.Sandbox().Workspace() + "-evil/x"},
			{"read_file", []any{"path", "binary"}, "Could not decode text file with supported encodings: binary"},
			{"read_file", []any{"path", "text", "offset", -2}, "offset must be greater than or equal to 0, or -1 to read the last line"},
			{"write_file", []any{"path", "", "content", ""}, "Path cannot be empty"},
			{"write_file", []any{"path", "d", "content", ""}, "Path is a directory, not a file: d"},
			{"write_file", []any{"path", "/x", "content", ""}, "Path is outside the workspace: /x"},
			{"write_file", []any{"path", "f", "content", big}, "Content exceeds 64000 bytes limit"},
			{"edit", []any{"file_path", "nope", "old_string", "a", "new_string", "b"}, "File not found at: nope"},
			{"edit", []any{"file_path", "text", "old_string", "a", "new_string", "a"}, "block 0: old_str and new_str must differ"},
			{"edit", []any{"file_path", "text", "old_string", "y", "new_string", "a"}, "block 0: old_str not found in text"},
			{"edit", []any{"file_path", "text", "old_string", "x = 1", "new_string", "a"}, "block 0: old_str is not unique; found 3 matches in text"},
			{"edit", []any{"file_path", "binary", "old_string", "a", "new_string", "b"}, "Binary files are not supported: binary"},
			{"file_system.search_replace", []any{"path", "same", "content", []any{
				map[string]any{"old_str": "same", "new_str": "other"}, map[string]any{"old_str": "same", "new_str": "x"},
			}}, "block 1: old_str not found in same"},
			{"bash", []any{"command", "echo 'a'; sleep 100", "timeout_seconds", 1}, "Command timed out after 1s: 'echo 'a'; sleep 100'"},
		} {
			e := b.fails(c.tool, c.args...)
			require.Equal(t, c.text, e.Message, "%s %v", c.tool, c.args)
			require.Equal(t, "tool_failed", e.Code, "%s %v", c.tool, c.args)
		}
		require.Equal(t, "same\n", b.get("same"), "a block that fails changes nothing")
		require.Equal(t, `{"result":{"type":"error","error":{"name":"tool_failed","message":"File not found at: nope"}}}`, b.text("read_file", "path", "nope"))
		require.Equal(t, "InvalidToolCall", b.fails("nothing").Code)
		out := b.ok("file_system.search_replace", "path", "same", "content", []any{
			map[string]any{"old_str": "same", "new_str": "other"}, map[string]any{"old_str": "other", "new_str": "same"},
		})
		require.Equal(t, []any{"search/replace blocks leave the file unchanged"}, out["warnings"])
	})
}

// Arguments that are wrong are told apart from calls that fail.
func TestInvalidArguments(t *testing.T) {
	b := open(t, limpet.Config{Background: true}, tools.Config{})
	for _, c := range []struct {
		tool, args, want string
	}{
		{"read_file", `{}`, "path missing"},
		{"read_file", `{"path":7}`, "path string_type"},
		{"read_file", `{"path":"a","limit":0}`, "limit greater_than_equal"},
		{"read_file", `{"path":"a","offset":1.5}`, "offset integer_type"},
		{"write_file", `{"path":"a","content":"","mode":"755"}`, "mode extra_forbidden"},
		{"edit", `{"file_path":"a","old_string":"","new_string":""}`, "old_string string_too_short"},
		{"bash", `{"command":"x","timeout_seconds":0}`, "timeout_seconds greater_than_equal"},
		{"bash", `{"command":"x","timeout_seconds":-1}`, "timeout_seconds greater_than_equal"},
		{"bash", `{"command":"x","timeout_seconds":301}`, "timeout_seconds less_than_equal"},
		{"bash", `{"command":"x","timeout_seconds":1000000000}`, "timeout_seconds less_than_equal"},
		{"bash", `{"command":"x","timeout_seconds":"5"}`, "timeout_seconds integer_type"},
		{"bash", `{"command":"x","timeout_seconds":1.5}`, "timeout_seconds integer_type"},
		{"bash", `{"command":"a\u0000b"}`, "command invalid_command"},
		{"bash", `{"command":"x","dangerouslyDisableSandbox":true}`, "dangerouslyDisableSandbox extra_forbidden"},
		{"bash", `{"command":"x","env":{"PATH":"/"}}`, "env extra_forbidden"},
		{"bash", `nonsense`, " json_invalid"},
		{"process.start", `{"command":"  "}`, "command empty_command"},
		{"process.start", `{"command":"x","cwd":"nope"}`, "cwd invalid_working_directory"},
		{"process.start", `{"command":"x","env":{"a=b":""}}`, "env invalid_environment_name"},
		{"process.start", `{"command":"x","env":{"a":"\u0000"}}`, "env.a invalid_environment_value"},
		{"process.write", `{"processId":"p","text":""}`, " empty_input"},
		{"process.write", `{"processId":"p","bytesBase64":"*"}`, "bytesBase64 invalid_base64"},
		{"process.write", `{"processId":"p","text":"a","control":["tab"]}`, " value_error"},
		{"process.write", `{"processId":"p"}`, " value_error"},
		{"process.write", `{"processId":"p","control":["f13"]}`, "control enum"},
		{"process.output", `{"processId":"p","from":"middle"}`, "from enum"},
		{"process.output", `{"processId":"p","waitMs":30001}`, "waitMs less_than_equal"},
		{"process.output", `{"processId":"p","maxBytes":0}`, "maxBytes greater_than_equal"},
	} {
		res := b.Call(t.Context(), tools.Call{Name: c.tool, Arguments: json.RawMessage(c.args)})
		require.NotNil(t, res.Error, "%s %s", c.tool, c.args)
		require.Equal(t, "invalid_arguments", res.Error.Code, c.args)
		require.NotEmpty(t, res.Error.Details["tool"])
		list := res.Error.Details["errors"].([]tools.ArgumentError)
		require.Equal(t, c.want, list[0].Location+" "+list[0].Type, "%s %s", c.tool, c.args)
	}
	e := b.fails("process.write", "processId", "p", "text", strings.Repeat("x", 1<<20+1))
	require.Equal(t, "value_too_large", e.Details["errors"].([]tools.ArgumentError)[0].Type)
	require.Equal(t, "Working directory must exist and be a directory",
		b.fails("process.start", "command", "x", "cwd", "nope").Details["errors"].([]tools.ArgumentError)[0].Message)
	for _, tool := range []string{"process.output", "process.stop"} {
		require.Equal(t, "unknown_process", b.fails(tool, "processId", "p").Code)
	}
}
