import type { RegionReport } from '../program/region.ts';
import { HelperSet } from './helpers.ts';
import type { WasmFunction, WasmModule } from './wasm-module.ts';

/** The loops of one kernel, and the functions of those that became WebAssembly. */
export class RegionSet {
  readonly helpers: HelperSet = new HelperSet();
  readonly regions: RegionReport[] = [];
  /** True if even loops that do less work than a call costs are compiled. */
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

  /** Returns the module of all compiled loops; `undefined` if there are none. */
  get module(): WasmModule | undefined {
    if (this.#functions.length === 0) return undefined;
    const functions = [...this.helpers.functions, ...this.#functions];
    return { imports: this.helpers.imports, functions, ...(this.#shared ? { shared: true } : {}) };
  }
}
