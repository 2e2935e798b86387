import { HelperSet } from './helpers.ts';
import type { WasmFunction, WasmModule } from './wasm-module.ts';

/** The outcome of one loop over the threads of a CTA. */
export interface Region {
  /** The name of the function in the generated JavaScript. */
  readonly name: string;
  readonly engine: 'wasm' | 'js';
  /** True if a part of it does several threads at once. */
  readonly lanes: boolean;
  /** Why it is left to JavaScript. */
  readonly reason?: string;
}

/** The loops of one kernel, and the functions that those became which are WebAssembly. */
export class RegionSet {
  readonly helpers: HelperSet = new HelperSet();
  readonly regions: Region[] = [];
  /** True if loops are compiled that have less to do than a call costs. */
  readonly compilesAll: boolean;
  readonly #functions: WasmFunction[] = [];

  readonly #shared: boolean;

  constructor(compilesAll: boolean, shared = false) {
    this.compilesAll = compilesAll;
    this.#shared = shared;
  }

  compiled(f: WasmFunction, lanes: boolean): void {
    this.#functions.push(f);
    this.regions.push({ name: f.name, engine: 'wasm', lanes });
  }

  left(name: string, reason: string): void {
    this.regions.push({ name, engine: 'js', lanes: false, reason });
  }

  /** The module of all compiled ones; `undefined` if there is none. */
  get module(): WasmModule | undefined {
    if (this.#functions.length === 0) return undefined;
    const functions = [...this.helpers.functions, ...this.#functions];
    return { imports: this.helpers.imports, functions, ...(this.#shared ? { shared: true } : {}) };
  }
}
