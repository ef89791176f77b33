// Python beside the page: Pyodide in a worker, which can be stopped whatever it does. Chapter 1.
//
// Its files stand in a script, packed and in base64, because a page opened from the disk may load
// nothing else. What Pyodide asks for by an address is answered from there.

/** What runs in the worker: it is told to begin with files, then to run the code of a cell. */
function pythonProgram() {
  const unwrapped = (base64) => {
    const letters = atob(base64);
    const bytes = new Uint8Array(letters.length); // filled by from(), it takes 20 times as long
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    return bytes;
  };
  const unpacked = (base64) => {
    const bytes = new Blob([unwrapped(base64)]).stream();
    return new Response(bytes.pipeThrough(new DecompressionStream("gzip")));
  };
  const imported = async (base64) => {
    const code = new Blob([await unpacked(base64).arrayBuffer()], { type: "text/javascript" });
    return import(URL.createObjectURL(code));
  };
  // Pyodide wants a worker that is a module, which a page from the disk cannot have. It asks
  // whether importScripts works, and all that it needs of a module is import(), which ours has.
  self.importScripts = () => {
    throw new TypeError("this worker imports modules");
  };
  const begun = new Set();
  let page;
  const begin = async ({ python, exercises }) => {
    self.fetch = async (address) => {
      const name = String(address.url ?? address).split("/").pop();
      const type = name.endsWith(".wasm") ? "application/wasm" : "application/zip";
      return new Response(unpacked(python[name]).body, { headers: { "content-type": type } });
    };
    const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([
      imported(python["pyodide.mjs"]),
      imported(python["pyodide.asm.mjs"]),
    ]);
    const pyodide = await loadPyodide({
      createPyodideModule,
      indexURL: "file:///pyodide/",
      lockFileContents: python.lock,
      packageBaseUrl: "file:///pyodide/",
    });
    pyodide.unpackArchive(unwrapped(exercises), "zip", { extractDir: "/book" });
    pyodide.runPython("import sys; sys.path.insert(0, '/book')");
    page = pyodide.pyimport("in_the_page");
  };
  const run = ({ name, code }) => {
    if (!begun.has(name)) page.begin(name);
    begun.add(name);
    return JSON.parse(page.run(code));
  };
  self.onmessage = async ({ data }) => {
    try {
      if (data.begin) await begin(data.begin);
      postMessage(data.begin ? { ready: true } : run(data));
    } catch (error) {
      postMessage({ failed: String(error) });
    }
  };
}

/** Say whether this browser can run Python at all. */
function canRunPython() {
  return typeof WebAssembly === "object" && typeof DecompressionStream === "function";
}

const PATIENCE = 30; // seconds; the slowest checker needs 5
let pythonWorker = null; // one for all exercises of the page, so that they know one another

/** Start Python unless it runs; `report` is told what happens, in words. */
async function startPython(report) {
  await fetchScript("python", report);
  await fetchScript("exercises", report);
  if (pythonWorker) return;
  report("Python starts …");
  const source = new Blob([`(${pythonProgram})();`], { type: "text/javascript" });
  pythonWorker = new Worker(URL.createObjectURL(source));
  pythonWorker.ready = askPython({
    begin: { python: received.get("python"), exercises: received.get("exercises") },
  });
}

/** Send a message to the worker and wait for its answer. */
function askPython(message) {
  const worker = pythonWorker;
  return new Promise((resolve, reject) => {
    worker.stop = (told) => reject(new Error(`${told} The next run starts Python anew.`));
    worker.onerror = ({ message: told }) => reject(new Error(told ?? "Python did not start"));
    worker.onmessage = ({ data }) => (data.failed ? reject(new Error(data.failed)) : resolve(data));
    worker.postMessage(message);
  });
}

/** Run a cell; a loop without end is stopped. */
async function runPython(name, code, report) {
  await startPython(report);
  await pythonWorker.ready;
  report("It runs …");
  const told = `Stopped after ${PATIENCE} seconds. Is there a loop that does not end?`;
  const limit = setTimeout(() => stopPython(told), PATIENCE * 1000);
  return askPython({ name, code }).finally(() => clearTimeout(limit));
}

/** End the worker, whatever it does, and say why. */
function stopPython(told) {
  const worker = pythonWorker;
  pythonWorker = null;
  worker?.terminate();
  worker?.stop(told);
}
