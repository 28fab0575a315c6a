// Runs the module away from the page.
import init, * as wasm from "tbindex-wasm";

const ready = init({ module_or_path: new URL("./tbindex_wasm_bg.wasm", import.meta.url) });
const functions = wasm as unknown as Record<string, (...args: unknown[]) => unknown>;

/** The least milliseconds between two messages about one call. */
const PAUSE = 100;

onmessage = async ({ data: { id, name, args } }) => {
  let last = -PAUSE;
  const report = (work: wasm.Work) => {
    if (performance.now() < last + PAUSE) return;
    last = performance.now();
    postMessage({ id, work });
  };
  try {
    await ready;
    // Functions that solve nothing take no report, and are not harmed by one.
    postMessage({ id, result: functions[name]!(...args, report) });
  } catch (error) {
    // After a trap, or without a stack, the module answers nothing any more.
    const ended = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    postMessage({ id, error: error instanceof Error ? error.message : String(error), ended });
  }
};
