import type { Fault } from '@nccl-ts/findings';
import { renderDiagnostics, validate, type ValidatedModule } from '@nccl-ts/ir';
import {
  addr,
  analyseKernel,
  bf16,
  bool,
  e4m3,
  e5m2,
  f16,
  f32,
  f64,
  i16,
  i32,
  i64,
  i8,
  kernel,
  u16,
  u32,
  u64,
  u8,
  vec,
  type CompileResult,
  type ParamType,
  type ScalarParam,
  type ValueParam,
} from '@nccl-ts/kernel';

import { emitJs, simCapabilities, type EmitJsOptions } from '../../src/index.ts';
import { webAssemblyRegions } from '../../src/wasm.ts';
import type { ArgValue, LinearMemory, Regions } from '../../src/program/program.ts';
import { heapViews, linearHeap } from '../support/machine.ts';
import type { Type } from './language/type.ts';
import { decode, toNumber } from './reference/float.ts';
import { bitsOf, formatOf, kinds, ofBits, type Kind } from './reference/scalar.ts';
import { noNetwork } from '../support/no-network.ts';

/**
 * The source of the names of types and functions for kernels: the start of their first parameter.
 */
export const builtinNames: string =
  'threadIdx, blockDim, bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, e4m3, e5m2, addr, ' +
  'vec, math, min, max, abs, fma, popcount, clz, ctz, lane, withLane, bitcast';

/** The text of a kernel, as the front end sees it. */
export function analyseText(text: string, params: Readonly<Record<string, ParamType>>): CompileResult {
  // Captured as text, like every kernel. The eval is indirect, so that the text sees no name of
  // this file.
  // oxlint-disable-next-line no-eval
  const body: unknown = (0, eval)(text);
  if (typeof body !== 'function') throw new Error('the text is no function');
  return analyseKernel(kernel({ name: 'expressions', params }, body as () => void));
}

/** The engine, and options of the emitter. */
export interface MachineOptions extends Pick<EmitJsOptions, 'mode' | 'compiles' | 'shared'> {
  readonly engine?: 'js' | 'wasm' | undefined;
}

const capabilities = { ...simCapabilities, multimem: false };

/** Returns the module of a text that must compile. */
export function compileText(text: string, params: Readonly<Record<string, ParamType>>): ValidatedModule {
  const result = analyseText(text, params);
  if (!result.ok) {
    throw new Error(
      `does not compile\n${renderDiagnostics(result.diagnostics.slice(0, 3), result.sources).slice(0, 4000)}`,
    );
  }
  const { module } = result;
  const valid = validate(module, capabilities);
  if (valid.ok) return valid.module;
  throw new Error(`is no valid IR\n${renderDiagnostics(valid.diagnostics.slice(0, 3), module.sources).slice(0, 4000)}`);
}

const scalarParams: Readonly<Record<Kind, ScalarParam<Kind, unknown>>> = {
  bool,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  bf16,
  f32,
  f64,
  e4m3,
  e5m2,
  addr,
};

export function paramType({ kind, width }: Type): ValueParam {
  const scalar = scalarParams[kind];
  return width === 1 ? scalar : vec(scalar, width);
}

/** Returns the types of a module's variables by name. */
export function variableTypes(module: ValidatedModule): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { name, type } of module.locals) {
    if (type.kind === 'scalar') types.set(name, type.scalar);
    if (type.kind === 'vector') types.set(name, `vec(${type.element}, ${type.width})`);
  }
  return types;
}

/** Thrown when an operation of a kernel faults. */
export class KernelFault extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(`fault: ${fault.kind} ${fault.message ?? ''} in thread ${fault.thread}`);
    this.fault = fault;
  }
}

/** The memory of a kernel: consecutive buffers, each with its own region. */
export class Memory {
  readonly view: DataView;
  readonly #starts: readonly number[];
  readonly #regions: Regions;
  readonly #linear: LinearMemory;

  /** `shared` is true for code that is generated for several threads. */
  constructor(sizes: readonly number[], shared = false) {
    let end = 4096;
    this.#starts = sizes.map((size) => {
      const start = end;
      end += Math.ceil(size / 16) * 16;
      return start;
    });
    const linear = linearHeap(end, shared);
    this.#linear = { memory: linear.memory, frame: linear.end };
    this.view = new DataView(linear.heap);
    const low = Float64Array.of(0, ...this.#starts);
    this.#regions = {
      multicast: [],
      low,
      high: Float64Array.from(low, (start, region) => start + (region === 0 ? 0 : (sizes[region - 1] ?? 0))),
    };
  }

  #at(buffer: number, offset: number): number {
    return (this.#starts[buffer] ?? 0) + offset;
  }

  write(buffer: number, offset: number, { kind }: Type, elements: readonly bigint[]): void {
    const bytes = kinds[kind].bits / 8;
    elements.forEach((value, i) => {
      const bits = bitsOf(kind, value);
      const at = this.#at(buffer, offset + i * bytes);
      for (let byte = 0; byte < bytes; byte++) this.view.setUint8(at + byte, Number((bits >> BigInt(8 * byte)) & 255n));
    });
  }

  read(buffer: number, offset: number, { kind, width }: Type): readonly bigint[] {
    const bytes = kinds[kind].bits / 8;
    return Array.from({ length: width }, (_, i) => {
      const at = this.#at(buffer, offset + i * bytes);
      let value = 0n;
      for (let byte = bytes - 1; byte >= 0; byte--) value = (value << 8n) | BigInt(this.view.getUint8(at + byte));
      return ofBits(kind, value);
    });
  }

  /**
   * Runs one CTA of `threads`. The kernel's first parameters are pointers to the buffers, followed
   * by `args`.
   */
  run(
    module: ValidatedModule,
    threads: number,
    args: readonly ArgValue[] = [],
    { engine, ...options }: MachineOptions = {},
  ): void {
    const blockDim = { x: threads, y: 1, z: 1 };
    const code = emitJs(
      module,
      { blockDim, fields: {} },
      {
        ...options,
        regions: engine === 'wasm' ? webAssemblyRegions : undefined,
      },
    );
    if (engine === 'wasm') {
      // JavaScript handles a pointer that is kept across the code that all threads run together.
      const kept = 'a pointer whose window differs by thread';
      const left = code.regions?.find(({ engine, reason }) => engine === 'js' && reason !== kept);
      if (left !== undefined) throw new Error(`is left to JavaScript: ${left.reason}`);
    }
    const host = {
      heap: heapViews(this.view.buffer),
      regions: this.#regions,
      linear: this.#linear,
      network: noNetwork,
      windowAt: () => undefined,
      pointerAt: () => ({ address: 0, region: 0 }),
      addressOf: (address: number) => address,
      clock: () => 0n,
      print: () => {},
      fault: (_: unknown, fault: Fault): never => {
        throw new KernelFault(fault);
      },
    };
    const pointers = this.#starts.map((address, i) => ({ address, region: i + 1 }));
    const program = code.bind(host, [...pointers, ...args]);
    const unit = { x: 1, y: 1, z: 1 };
    const cta = program.start({ rank: 0, blockIdx: { x: 0, y: 0, z: 0 }, gridDim: unit, blockDim });
    while (program.resume(cta) !== 'done');
  }
}

/** Returns a value as a launch passes it. */
export function argument({ kind, width }: Type, elements: readonly bigint[]): ArgValue {
  const values = elements.map((value): number | bigint => {
    const { class: of, bits } = kinds[kind];
    if (of === 'float') return toNumber(decode(formatOf(kind), value));
    return of === 'int' && bits === 64 ? value : Number(value);
  });
  const [only = 0] = values;
  return width > 1 ? values : kind === 'bool' ? only === 1 : only;
}
