// Runs the module away from the page.
import init, * as wasm from "tbindex-wasm";

const ready = init({ module_or_path: new URL("./tbindex_wasm_bg.wasm", import.meta.url) });

onmessage = async ({ data: { id, name, args } }) => {
  try {
    await ready;
    const work = (wasm as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!;
    postMessage({ id, result: work(...args) });
  } catch (error) {
    postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
