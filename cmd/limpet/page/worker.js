// The worker that the sandbox runs in. A message is {id, call, args}; the answer is {id, value} or
// {id, error}, after any number of {id, stream, data} with what a script prints.
importScripts("wasm_exec.js");

const go = new Go();
let ready;

async function start(module) {
  const made = module ? await WebAssembly.instantiate(module, go.importObject) :
    (await WebAssembly.instantiateStreaming(fetch("limpet.wasm"), go.importObject));
  go.run(made.instance ?? made);
  while (!self.limpet) await new Promise((next) => setTimeout(next));
  return made.module;
}

self.onmessage = async ({ data: { id, call, args } }) => {
  try {
    if (call === "start") {
      ready = start(args[0]);
      return postMessage({ id, value: await ready });
    }
    await ready;
    if (call === "exec") args.splice(1, 0, (stream, data) => postMessage({ id, stream, data }));
    postMessage({ id, value: await self.limpet[call](...args) });
  } catch (error) {
    postMessage({ id, error: String(error.message ?? error) });
  }
};
