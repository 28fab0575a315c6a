// The module in workers: every function returns a promise.
import type * as Wasm from "tbindex-wasm";

type Functions = Omit<typeof Wasm, "default" | "initSync">;
type Name = { [K in keyof Functions]: Functions[K] extends (...args: never[]) => unknown ? K : never }[keyof Functions];
type Report = (work: Wasm.Work) => void;
interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  report?: Report;
}

/** The worker ended before it had an answer; it begins anew with the next call. */
export class Ended extends Error {}

/** A worker that begins with the first call. */
export class Client {
  #worker: Worker | undefined;
  #waiting = new Map<number, Waiting>();
  #last = 0;
  #solving = false;

  call = <N extends Name>(
    name: N,
    args: Parameters<Functions[N]>,
    report?: Report,
  ): Promise<ReturnType<Functions[N]>> => {
    this.#worker ??= this.#start();
    const id = ++this.#last;
    this.#worker.postMessage({ id, name, args });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, report });
    });
  };

  /** Gives up a table that is being solved; with it goes all that the worker has kept. */
  stop(): void {
    if (this.#solving) this.#end("Stopped.");
  }

  #end(message: string): void {
    const waiting = [...this.#waiting.values()];
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#solving = false;
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new Ended(message));
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onerror = () => this.#end("The solver can’t be loaded.");
    worker.onmessage = ({ data: { id, work, result, error, ended } }) => {
      const call = this.#waiting.get(id);
      if (work) {
        this.#solving = true;
        call?.report?.(work);
        return;
      }
      if (ended) {
        this.#end(`The solver failed, perhaps for want of memory (${error}). It begins anew.`);
        return;
      }
      this.#solving = false;
      this.#waiting.delete(id);
      if (error === undefined) call?.resolve(result);
      else call?.reject(new Error(error));
    };
    return worker;
  }
}

/** Calls what is done at once. */
export const { call } = new Client();
