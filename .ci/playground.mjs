// usage: node .ci/playground.mjs LIMPET ASSETS SCREENSHOT [CASES]
//
// Opens the playground in a headless Chromium and uses it as a person would: what is shared by a link,
// an example, a loop that is stopped, a file that is looked at. With CASES, a directory of scripts and what they
// print, runs them all in the page and fails where less than 98 % of them are right.
import { spawn } from "node:child_process";
import { deflateRawSync } from "node:zlib";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { tmpdir } from "node:os";

const [limpet, assets, screenshot, cases] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "playground-"));
const server = spawn(limpet, ["playground", "--assets", assets, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "inherit", "pipe"] });
const url = await new Promise((found, failed) => {
  server.stderr.on("data", (data) => { const m = /http:\S+/.exec(data); if (m) found(m[0]); });
  server.on("exit", () => failed(new Error("limpet playground has ended")));
});
const chromium = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${home}`, "--window-size=1200,800", "--remote-debugging-pipe"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const failedToStart = new Promise((_, failed) => chromium.on("error", failed));

// The protocol of the developers' tools: messages of JSON that end with a zero byte.
let next = 1, session, buffer = "";
const waiting = new Map(), errors = [];
chromium.stdio[4].on("data", (data) => {
  buffer += data;
  for (let end; (end = buffer.indexOf("\0")) >= 0; buffer = buffer.slice(end + 1)) {
    const message = JSON.parse(buffer.slice(0, end));
    waiting.get(message.id)?.(message);
    if (message.method === "Runtime.exceptionThrown") errors.push(message.params.exceptionDetails.exception?.description);
  }
});
const send = (method, params = {}) => new Promise((resolve, reject) => {
  const id = next++;
  waiting.set(id, (m) => (waiting.delete(id), m.error ? reject(new Error(`${method}: ${m.error.message}`)) : resolve(m.result)));
  chromium.stdio[3].write(JSON.stringify({ id, method, params, sessionId: session }) + "\0");
});
const evaluate = async (expression) => {
  const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
};
const until = async (what, expression) => {
  for (const start = Date.now(); Date.now() - start < 120_000; await new Promise((r) => setTimeout(r, 50))) if (await evaluate(`document.body !== null && (${expression})`).catch(() => false)) return; // a page that changes has nothing to ask
  throw new Error(`${what}: nothing after two minutes; the screen is\n${await evaluate("document.getElementById('screen').innerText")}`);
};
const check = (what, got, want) => { if (!got.includes(want)) throw new Error(`${what}: ${JSON.stringify(want)} is not in\n${got}`); };
const screen = () => evaluate("document.getElementById('screen').innerText");

async function use() {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  session = (await send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
  await send("Runtime.enable");
  await send("Page.enable");
  const shared = ["mkdir -p site/css; echo '<h1>hello</h1>' > site/index.html; seq 3 > data.txt", "for i in 3 1 2; do (sleep 0.$i; echo \"job $i\") & done; wait", "nosuch", "cd site; x=5"];
  await send("Page.navigate", { url: url + "#" + deflateRawSync(JSON.stringify(shared)).toString("base64url") });
  await until("what is shared", "document.body.dataset.replayed === 'yes'");
  let text = await screen();
  check("jobs", text, "job 1\njob 2\njob 3\n");
  check("a command that is not there", text, "nosuch: command not found");
  console.log(`the page was ready after ${await evaluate("document.body.dataset.loaded")} ms`);
  check("the tree", await evaluate("document.getElementById('tree').innerText"), "data.txt");

  await evaluate("[...document.querySelectorAll('#examples button')].find((b) => b.textContent.includes('without end')).click()");
  await until("a loop runs", "document.body.dataset.state === 'running' && document.getElementById('usage').innerText.includes(' s')");
  await new Promise((r) => setTimeout(r, 500));
  await evaluate("document.getElementById('stop').click()");
  await until("the loop is stopped", "document.body.dataset.state === 'ready'");
  await type("echo $x; pwd");
  check("the session goes on", await screen(), "5\n/workspace/site\n");
  await type("seq 100000 | tail -1; printf 'x%.0s' {1..300000} | wc -c");
  check("much output", await screen(), "100000\n300000\n");
  await evaluate("[...document.querySelectorAll('#examples button')].find((b) => b.textContent.includes('memory')).click()");
  await until("a limit", "document.body.dataset.state === 'ready' && document.getElementById('screen').innerText.includes('limit')");
  await evaluate("document.getElementById('share').click()");
  await until("the address", "location.hash.length > 20");
  writeFileSync(screenshot, Buffer.from((await send("Page.captureScreenshot")).data, "base64"));
}

async function type(line) {
  await evaluate(`document.getElementById('input').value = ${JSON.stringify(line)}, document.getElementById('line').requestSubmit()`);
  await until(line, "document.body.dataset.state === 'ready'");
}

async function corpus() {
  const walk = (d) => readdirSync(d).flatMap((n) => (statSync(join(d, n)).isDirectory() ? walk(join(d, n)) : [join(d, n)]));
  await evaluate(`self.corpus = (() => {
    const worker = new Worker("worker.js"), calls = new Map();
    let id = 0;
    worker.onmessage = ({ data }) => data.stream ? calls.get(data.id).out.push([data.stream, data.data]) : (calls.get(data.id).done(data), calls.delete(data.id));
    return (call, ...args) => new Promise((done) => { calls.set(++id, { done, out: (self.out = []) }); worker.postMessage({ id, call, args }); });
  })(); corpus("start").then(() => corpus("save")).then((m) => { self.pristine = m.value; })`);
  let passed = 0;
  const failed = [];
  for (const name of readdirSync(cases)) {
    const dir = join(cases, name), files = join(dir, "files");
    const list = existsSync(files) ? walk(files).map((f) => ["/workspace/" + relative(files, f), readFileSync(f).toString("base64"), statSync(f).mode & 0o777]) : [];
    const got = await evaluate(`(async () => {
      await corpus("load", pristine);
      for (const [name, data, mode] of ${JSON.stringify(list)}) await corpus("write", name, Uint8Array.from(atob(data), (c) => c.charCodeAt(0)), mode);
      const res = await corpus("exec", ${JSON.stringify(readFileSync(join(dir, "script.sh"), "utf8"))}, "script.sh");
      return { status: res.value?.status, out: out.filter(([s]) => s === "stdout").flatMap(([, d]) => [...d]) };
    })()`);
    const right = got.status === Number(readFileSync(join(dir, "code"), "utf8")) && Buffer.from(got.out).equals(readFileSync(join(dir, "stdout")));
    right ? passed++ : failed.push(name);
  }
  console.log(`cases: ${passed} of ${passed + failed.length} are right in the page; not ${failed.join(" ")}`);
  if (passed < 0.98 * (passed + failed.length)) throw new Error("less than 98 %");
}

let status = 0;
try {
  await Promise.race([use(), failedToStart]);
  if (cases) await corpus();
  if (errors.length) throw new Error(`errors in the page: ${errors.join("; ")}`);
  console.log("the playground works");
} catch (error) {
  console.error(`playground: ${error.message}`);
  status = 1;
}
server.kill();
chromium.kill();
await new Promise((r) => (chromium.exitCode !== null || chromium.signalCode ? r() : chromium.on("exit", r)));
rmSync(home, { recursive: true, force: true, maxRetries: 5 });
process.exit(status);
