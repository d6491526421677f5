// Drives limpet mcp with the client of the npm package @modelcontextprotocol/sdk: every tool over
// standard input and output and over HTTP, progress, cancellation.
import { spawn } from "node:child_process";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const limpet = process.argv[2];

async function drive(transport) {
  const client = new Client({ name: "ci", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const used = new Set();
  // Every schema is one of JSON Schema 2020-12, and what the tools return is as theirs say.
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const outputs = {};
  for (const tool of tools) {
    assert.ok(ajv.validateSchema(tool.inputSchema), `${tool.name}: ${ajv.errorsText()}`);
    ajv.compile(tool.inputSchema);
    assert.ok(ajv.validateSchema(tool.outputSchema), `${tool.name}: ${ajv.errorsText()}`);
    outputs[tool.name] = ajv.compile(tool.outputSchema);
  }
  const call = async (name, args = {}, options) => {
    used.add(name);
    const result = await client.callTool({ name, arguments: args }, undefined, options);
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
    assert.ok(outputs[name](result.structuredContent), `${name}: ${ajv.errorsText(outputs[name].errors)}`);
    return result.structuredContent;
  };
  await call("write_file", { path: "d/f", content: "one\n" });
  await call("edit", { file_path: "d/f", old_string: "one", new_string: "two" });
  await call("apply_patch", { patch: "*** Begin Patch\n*** Update File: d/f\n-two\n+three\n*** End Patch" });
  assert.equal((await call("read_file", { path: "d/f" })).content, "three\n");
  assert.equal((await call("bash", { command: "cd d; cat f" })).stdout, "three\n");
  assert.equal((await call("ls")).total, 1);
  assert.deepEqual((await call("glob", { pattern: "**" })).files, ["d/f"]);
  assert.equal((await call("grep", { pattern: "thr" })).match_count, 1);
  const { checkpointId } = await call("checkpoint");
  assert.equal((await call("fork", { command: "rm f" })).changes.length, 1);
  assert.equal((await call("changes", { since: checkpointId })).changes.length, 0);
  await call("restore", { checkpointId });
  const { processId } = await call("process_start", { command: "cat; sleep 1000" });
  await call("process_write", { processId, text: "hello\n" });
  assert.equal((await call("process_output", { processId, waitMs: 10000 })).output, "hello\n");
  assert.equal((await call("process_list")).processes.length, 1);
  assert.equal((await call("process_stop", { processId })).status, "stopped");
  const { sandbox_id } = await call("sandbox_open");
  await call("bash", { command: "echo $PWD", sandbox_id });
  await call("sandbox_close", { sandbox_id });
  for (const tool of tools) assert.ok(used.has(tool.name), `${tool.name} was not driven`);

  // Progress is seen while the command runs, and then it is cancelled.
  const abort = new AbortController();
  let seen = "";
  const running = call("bash", { command: "echo working; sleep 1000" }, {
    signal: abort.signal,
    onprogress: (p) => { seen += p.message; abort.abort("enough"); },
  });
  await assert.rejects(running);
  assert.equal(seen, "working\n");
  assert.equal((await call("bash", { command: "echo again" })).stdout, "again\n");
  const file = await client.readResource({ uri: "sandbox://self/workspace/d/f" });
  assert.equal(file.contents[0].text, "three\n");
  await client.close();
}

await drive(new StdioClientTransport({ command: limpet, args: ["mcp", "--background"] }));
console.log("stdio: every tool, progress, cancellation");

const server = spawn(limpet, ["mcp", "--background", "--http", "127.0.0.1:0"], {
  env: { ...process.env, LIMPET_MCP_TOKEN: "token" }, stdio: ["ignore", "ignore", "pipe"],
});
try {
  const url = await new Promise((resolve, reject) => {
    let text = "";
    server.stderr.on("data", (data) => {
      const found = (text += data).match(/http:\S+/);
      if (found) resolve(new URL(found[0]));
    });
    server.on("exit", () => reject(new Error(`the server has ended: ${text}`)));
  });
  await drive(new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: "Bearer token" } } }));
  console.log("http: every tool, progress, cancellation");
} finally {
  server.kill();
}
