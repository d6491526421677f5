// The page: a terminal of its own, the files, usage and limits, and what is shared by a link.
// The sandbox is in a worker, so that a script that never ends can be stopped: the worker is ended, and a new
// one goes on from what the session was before the script.
const $ = (id) => document.getElementById(id);
const root = "/workspace";

const examples = [
  ["Pipes and awk", `printf '%s\\n' pear apple fig apple | sort | uniq -c | awk '{ print $2, $1 }'`],
  ["Jobs at the same time", `for i in 3 1 2; do (sleep 0.$i; echo "job $i") & done; wait; echo all`],
  ["JSON", `echo '[{"n":1},{"n":41}]' | jq 'map(.n) | add'`],
  ["Functions and arrays", `fib() { local a=0 b=1 i; for ((i = 0; i < $1; i++)); do echo -n "$a "; ((b += a, a = b - a)); done; echo; }; fib 20`],
  ["Files", `mkdir -p site/{css,js}; echo '<h1>hello</h1>' > site/index.html; seq 3 > site/data.txt; find site -type f -exec wc -c {} +`],
  ["A loop without end", `while :; do :; done`],
  ["Too much memory", `x=x; while :; do x=$x$x; done`],
  ["No host, no network", `cat /etc/hostname; whoami; ls /; exec 3<>/dev/tcp/example.com/80`],
];

let worker, module, saved, running = null, calls = new Map(), next = 1;
let typed = [], history = [], at = 0, dir = root, output = 0;

function call(name, ...args) {
  const id = next++;
  return new Promise((resolve, reject) => {
    calls.set(id, { resolve, reject });
    worker.postMessage({ id, call: name, args });
  });
}

async function open() {
  worker = new Worker("worker.js");
  worker.onmessage = ({ data }) => {
    if (data.stream) return print(data.stream, data.data);
    const { resolve, reject } = calls.get(data.id);
    calls.delete(data.id);
    "error" in data ? reject(new Error(data.error)) : resolve(data.value);
  };
  module = (await call("start", module)) ?? module;
  if (saved) await call("load", saved);
}

const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };

function print(stream, data) {
  output += data.length;
  write(stream, decoders[stream].decode(data, { stream: true }));
}

function write(kind, text) {
  if (!text) return;
  const screen = $("screen");
  if (screen.lastChild?.className === kind) screen.lastChild.firstChild.appendData(text);
  else {
    const span = document.createElement("span");
    span.className = kind;
    span.append(document.createTextNode(text));
    screen.append(span);
  }
  while (screen.childNodes.length > 2000) screen.firstChild.remove();
  $("terminal").scrollTop = $("terminal").scrollHeight;
}

const prompt = () => `${dir === root ? "~" : dir}$ `;

async function run(script) {
  if (running) return;
  write("prompt", prompt());
  write("typed", script + "\n");
  if (script.trim()) {
    typed.push(script);
    history.push(script);
  }
  at = history.length;
  running = { start: performance.now(), stopped: false };
  output = 0;
  show(false);
  const clock = setInterval(live, 100);
  try {
    saved = await call("save");
    const res = await Promise.race([call("exec", script), new Promise((_, reject) => { running.stop = () => reject(new Error("stopped")); })]);
    dir = res.dir;
    if (res.stopped || res.status) write("note", res.stopped ? "" : `[status ${res.status}]\n`);
    usage({ time: res.seconds.toFixed(3) + " s", steps: res.steps.toLocaleString("en"), memory: size(res.memory), output: size(res.output), status: res.status });
  } catch (error) {
    write("note", running.stopped ? "^C\n" : error.message + "\n");
  }
  clearInterval(clock);
  running = null;
  await files();
  show(true);
}

// stop ends the worker, and goes on from before the script.
async function stop() {
  if (!running?.stop || running.stopped) return;
  running.stopped = true;
  worker.terminate();
  calls.clear();
  await open();
  running.stop();
}

function show(ready) {
  $("stop").disabled = ready;
  $("input").disabled = !ready;
  $("prompt").textContent = ready ? prompt() : "";
  if (ready) $("input").focus();
  document.body.dataset.state = ready ? "ready" : "running";
}

const size = (n) => (n < 1024 ? `${n} B` : n < 1 << 20 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / (1 << 20)).toFixed(1)} MiB`);

function pairs(list, values) {
  list.replaceChildren(...values.flatMap(([name, value]) => {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = name;
    dd.textContent = value;
    return [dt, dd];
  }));
}

const usage = (values) => pairs($("usage"), Object.entries(values));
const live = () => running && usage({ time: ((performance.now() - running.start) / 1000).toFixed(1) + " s", output: size(output) });

// files shows the tree of the workspace. What was open stays open.
async function files() {
  const open = new Set([...document.querySelectorAll("#tree details[open]")].map((d) => d.dataset.path));
  const below = async (path) => {
    const nodes = [];
    for (const entry of (await call("list", path)) ?? []) {
      const name = `${path}/${entry.name}`;
      if (!entry.dir) {
        const button = document.createElement("button");
        button.textContent = entry.name;
        button.title = size(entry.size);
        button.onclick = () => view(name);
        nodes.push(button);
        continue;
      }
      const folder = document.createElement("details"), summary = document.createElement("summary");
      summary.textContent = entry.name;
      folder.dataset.path = name;
      folder.append(summary);
      folder.ontoggle = async () => { if (folder.open && folder.children.length === 1) folder.append(...(await below(name))); };
      folder.open = open.has(name);
      nodes.push(folder);
    }
    return nodes;
  };
  $("tree").replaceChildren(...(await below(root)));
  if (!$("tree").children.length) $("tree").textContent = "no files yet";
}

async function view(name) {
  if (running) return;
  $("name").textContent = name;
  $("content").textContent = new TextDecoder().decode(await call("read", name));
  $("viewer").showModal();
}

// What is shared is the list of the commands, compressed, behind the # of the address.
async function pack(list) {
  const stream = new Blob([JSON.stringify(list)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

async function share() {
  location.hash = await pack(typed);
  await navigator.clipboard?.writeText(location.href).then(() => write("note", "[the address of this page is in the clipboard]\n"), () => write("note", "[the address of this page has it all]\n"));
}

async function complete() {
  const input = $("input"), before = input.value.slice(0, input.selectionStart);
  const word = before.match(/[^\s|;&<>()$`"']*$/)[0];
  const first = /(^|[|;&(`]|\$\()\s*$/.test(before.slice(0, before.length - word.length)) && !word.includes("/");
  const words = await call("complete", word, first);
  if (!words.length) return;
  let common = words[0];
  for (const w of words) while (!w.startsWith(common)) common = common.slice(0, -1);
  if (words.length === 1 && !common.endsWith("/")) common += " ";
  if (common.length > word.length) input.setRangeText(common, before.length - word.length, before.length, "end");
  else if (words.length > 1) write("typed", words.slice(0, 200).join("  ") + (words.length > 200 ? ` … ${words.length - 200} more` : "") + "\n");
}

$("line").onsubmit = (event) => {
  event.preventDefault();
  const script = $("input").value;
  $("input").value = "";
  run(script);
};
$("input").onkeydown = (event) => {
  const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (move) {
    at = Math.min(Math.max(at + move, 0), history.length);
    $("input").value = history[at] ?? "";
  } else if (event.key === "Tab") complete();
  else if (event.key === "l" && event.ctrlKey) $("screen").replaceChildren();
  else return;
  event.preventDefault();
};
document.onkeydown = (event) => { if (event.ctrlKey && event.key === "c" && running) stop(); };
$("terminal").onclick = () => { if (!getSelection().toString()) $("input").focus(); };
$("stop").onclick = stop;
$("share").onclick = share;
$("reset").onclick = () => { history.length = 0; location.hash = ""; location.reload(); };
$("examples").replaceChildren(...examples.map(([name, script]) => {
  const button = document.createElement("button");
  button.textContent = name;
  button.title = script;
  button.onclick = () => run(script);
  return button;
}));

const begun = performance.now();
await open();
pairs($("limits"), (await call("limits")).map((l) => [l.name, l.value]));
document.body.dataset.loaded = Math.round(performance.now() - begun);
await files();
show(true);
if (location.hash.length > 1) {
  try {
    for (const script of await unpack(location.hash.slice(1))) await run(String(script));
    document.body.dataset.replayed = "yes";
  } catch {
    write("note", "[what was shared cannot be read]\n");
  }
}
