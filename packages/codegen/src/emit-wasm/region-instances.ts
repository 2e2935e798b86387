import { NcclError } from '@nccl-ts/core';
import { oneNaN } from '@nccl-ts/ir';

import { arithmetic, bigToOdd } from '../emit-shared/support-arithmetic.ts';
import { compileModule, instantiate, type WebAssemblyMemory, type WebAssemblyModule } from '../program/web-assembly.ts';
import type { ProgramHost } from '../program/program.ts';
import type { BoundRegions } from '../program/region.ts';
import type { ImportName } from './helpers.ts';

/** The module of a kernel. It is compiled once, and bound once to each memory. */
export class RegionInstances {
  readonly #encode: () => Uint8Array<ArrayBuffer>;
  readonly #instances = new WeakMap<WebAssemblyMemory, BoundRegions>();
  #bytes: Uint8Array<ArrayBuffer> | undefined;
  #compiled: WebAssemblyModule | undefined;

  /** `encode` returns the module in WebAssembly's binary format. */
  constructor(encode: () => Uint8Array<ArrayBuffer>) {
    this.#encode = encode;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    this.#bytes ??= this.#encode();
    return this.#bytes;
  }

  /** All hosts of one memory must share one `isLate`. */
  of({ linear, isLate }: Pick<ProgramHost, 'linear' | 'isLate'>): BoundRegions {
    if (linear === undefined) {
      throw new NcclError(
        'NCCL_INTERNAL_ERROR',
        'Code that contains WebAssembly runs on a heap that is not WebAssembly memory.',
      );
    }
    const { memory, frame } = linear;
    const known = this.#instances.get(memory);
    if (known !== undefined) return known;
    this.#compiled ??= compileModule(this.bytes);
    const tracing: BoundRegions['tracing'] = { cta: undefined };
    const compiled = instantiate(this.#compiled, {
      memory,
      ...imports,
      isLate: () => (isLate?.() === true ? 1 : 0),
      traced: (thread: number, site: number, address: number, bytes: number, stores: number): void =>
        tracing.cta?.plain(thread, site, address >>> 0, bytes, stores === 1),
    });
    const bound = { compiled, frame, tracing };
    this.#instances.set(memory, bound);
    return bound;
  }
}

/** The imported functions in JavaScript. */
const imports: Readonly<Record<Exclude<ImportName, 'isLate' | 'traced'>, unknown>> = {
  exp: (a: number): number => oneNaN(Math.exp(a)),
  exp2: (a: number): number => oneNaN(2 ** a),
  log: (a: number): number => oneNaN(Math.log(a)),
  log2: (a: number): number => oneNaN(Math.log2(a)),
  sin: (a: number): number => oneNaN(Math.sin(a)),
  cos: (a: number): number => oneNaN(Math.cos(a)),
  tanh: (a: number): number => oneNaN(Math.tanh(a)),
  power: arithmetic['power'],
  remainder: (a: number, b: number): number => oneNaN(a % b),
  fmaOdd: arithmetic['fmaOdd'],
  fma64: arithmetic['fma64'],
  bigToOdd,
  // An i64 arrives as a signed number.
  bigToOddUnsigned: (a: bigint): number => bigToOdd(BigInt.asUintN(64, a)),
};
