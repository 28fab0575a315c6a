// The module in workers: every function returns a promise.
import type * as Wasm from "tbindex-wasm";

type Functions = Omit<typeof Wasm, "default" | "initSync">;
type Name = { [K in keyof Functions]: Functions[K] extends (...args: never[]) => unknown ? K : never }[keyof Functions];
type Call = <N extends Name>(name: N, ...args: Parameters<Functions[N]>) => Promise<ReturnType<Functions[N]>>;

/** A worker that begins with the first call. */
class Client {
  #worker: Worker | undefined;
  #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #last = 0;

  call: Call = (name, ...args) => {
    this.#worker ??= this.#start();
    const id = ++this.#last;
    this.#worker.postMessage({ id, name, args });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
    });
  };

  /** Gives up what is not done yet; with it goes all that the worker has kept. */
  stop(): void {
    if (!this.#waiting.size) return;
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new Error("stopped"));
    this.#waiting.clear();
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => {
      const call = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) call?.resolve(data.result);
      else call?.reject(new Error(data.error));
    };
    return worker;
  }
}

/** Solves tables, which may take long, and may be stopped. */
export const solver = new Client();

/** Calls what is done at once. */
export const { call } = new Client();
