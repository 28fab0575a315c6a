// The module in its worker: every function returns a promise.
import type * as Wasm from "tbindex-wasm";

type Functions = Omit<typeof Wasm, "default" | "initSync">;
type Name = { [K in keyof Functions]: Functions[K] extends (...args: never[]) => unknown ? K : never }[keyof Functions];

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
let last = 0;

worker.onmessage = ({ data }) => {
  const call = waiting.get(data.id);
  waiting.delete(data.id);
  if (data.error === undefined) call?.resolve(data.result);
  else call?.reject(new Error(data.error));
};

export function call<N extends Name>(name: N, ...args: Parameters<Functions[N]>): Promise<ReturnType<Functions[N]>> {
  const id = ++last;
  worker.postMessage({ id, name, args });
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
  });
}
