import { debugLog } from '@nccl-ts/core';
import type { ValidatedModule } from '@nccl-ts/ir';
import type { Dim3, Executable } from '@nccl-ts/transport';
import { tooLarge } from '../base/errors.ts';
import type { ProgramCode, Specialisation, RegionReport } from '@nccl-ts/codegen';

/** Generates a kernel's code for one specialisation. */
export type Emit = (module: ValidatedModule, specialisation: Specialisation) => ProgramCode;

/** A kernel, and its generated code so far for each block size. */
export class SimExecutable implements Executable {
  readonly name: string;
  readonly module: ValidatedModule;
  readonly #emit: Emit;
  readonly #codes = new Map<string, ProgramCode>();

  constructor(module: ValidatedModule, emit: Emit) {
    this.name = module.name;
    this.module = module;
    this.#emit = emit;
  }

  get artifacts(): readonly { readonly language: string; readonly text: string }[] {
    return [...this.#codes.values()].flatMap(({ language, text, wat }) => [
      { language, text },
      ...(wat === undefined ? [] : [{ language: 'wat', text: wat }]),
    ]);
  }

  /**
   * Returns the results for the loops over threads, for all block sizes so far. The engine `js` has
   * none.
   */
  get regions(): readonly RegionReport[] {
    return [...this.#codes.values()].flatMap(({ regions = [] }) => regions);
  }

  /**
   * The reason why it runs on the world's own thread, although there are others; `undefined` if it
   * does not, or was not launched.
   */
  get stays(): string | undefined {
    return [...this.#codes.values()].find(({ stays }) => stays !== undefined)?.stays;
  }

  /**
   * Returns the code for launches of that block size whose device communicators have the values of
   * `fields`.
   */
  codeFor(blockDim: Dim3, fields: Specialisation['fields']): ProgramCode {
    const key = `${blockDim.x},${blockDim.y},${blockDim.z};${JSON.stringify(fields)}`;
    let code = this.#codes.get(key);
    if (code === undefined) {
      code = this.#emitted({ blockDim, fields });
      const { text } = code;
      debugLog('sim', () => `generated ${text.length} characters for ${this.name} (${key})`);
      this.#codes.set(key, code);
    }
    return code;
  }

  #emitted(specialisation: Specialisation): ProgramCode {
    try {
      return this.#emit(this.module, specialisation);
    } catch (error) {
      throw error instanceof RangeError ? tooLarge(this.name, error) : error;
    }
  }
}
