import type { Fault, Waiting } from '@nccl-ts/findings';
import type { Module, ValidatedModule } from '@nccl-ts/ir';

import { emitJs, type EmitJsOptions } from '../../src/index.ts';
import type {
  ArgValue,
  Cta,
  DevCommValue,
  LinearMemory,
  KernelProgram,
  ProgramCode,
  Regions,
  WindowValue,
} from '../../src/program/program.ts';
import type { HeapViews } from '../../src/program/heap-views.ts';
import { FRAME_BYTES } from '../../src/program/frame-bytes.ts';
import { createMemory, PAGE_BYTES, type WebAssemblyMemory } from '../../src/program/web-assembly.ts';
import { noNetwork } from './no-network.ts';

export type { DevCommValue, WindowValue };

export interface Dim {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A launch on a plain heap. Every rank has the same window, after `gap` bytes that nobody owns. */
export interface TestLaunch {
  readonly ranks: number;
  readonly grid: number;
  readonly block: Dim;
  readonly heap: ArrayBuffer | SharedArrayBuffer;
  readonly linear: LinearMemory;
  readonly regions: Regions;
  readonly window: (rank: number) => WindowValue;
  readonly comm: (rank: number) => DevCommValue;
  readonly args: (rank: number) => readonly ArgValue[];
}

export interface LaunchOptions {
  readonly ranks?: number;
  readonly grid?: number;
  readonly block?: number | Dim;
  readonly bytes?: number;
  /** The arguments after the communicator and the window. */
  readonly args?: readonly ArgValue[];
  readonly fill?: (views: HeapViews) => void;
}

const gap = 4096;

export function testLaunch(options: LaunchOptions = {}): TestLaunch {
  const { ranks = 2, grid = 1, block = 32, bytes = 4096, args = [], fill } = options;
  const stride = Math.ceil(bytes / 16) * 16 + 1024;
  const { heap, memory, end } = linearHeap(gap + ranks * stride);
  const low = new Float64Array(ranks + 1);
  const high = new Float64Array(ranks + 1);
  const bases = Float64Array.from({ length: ranks }, (_, r) => gap + r * stride);
  bases.forEach((base, r) => {
    low[r + 1] = base;
    high[r + 1] = base + bytes;
  });
  const window = (rank: number): WindowValue => ({
    bases,
    firstRegion: 1,
    lsaSize: ranks,
    multicast: new Map(),
    fields: { lsaRank: rank, bytes },
    copies: {
      bases,
      regions: bases.map((_, r) => r + 1),
      bytes,
      ranks: bases.map((_, r) => r),
      strictOrdering: false,
      cftCounted: false,
    },
  });
  const comm = (rank: number): DevCommValue => ({
    fields: { rank, nRanks: ranks, lsaRank: rank, lsaSize: ranks },
    windows: { resourceWindow: window(rank) },
  });
  fill?.(heapViews(heap));
  return {
    ranks,
    grid,
    block: typeof block === 'number' ? { x: block, y: 1, z: 1 } : block,
    heap,
    linear: { memory, frame: end },
    regions: { low, high, multicast: [] },
    window,
    comm,
    args: (rank) => [comm(rank), window(rank), ...args],
  };
}

/**
 * Makes at least `bytes` of WebAssembly memory, `shared` or not, and a frame for generated code
 * after it, from `end`.
 */
export function linearHeap(
  bytes: number,
  shared = false,
): {
  heap: ArrayBuffer | SharedArrayBuffer;
  memory: WebAssemblyMemory;
  end: number;
} {
  const end = Math.ceil(bytes / 64) * 64;
  const pages = Math.ceil((end + FRAME_BYTES) / PAGE_BYTES);
  const memory = createMemory(pages, pages, shared);
  return { heap: memory.buffer, memory, end };
}

export function heapViews(heap: ArrayBuffer | SharedArrayBuffer): HeapViews {
  return {
    i8: new Int8Array(heap),
    u8: new Uint8Array(heap),
    i16: new Int16Array(heap),
    u16: new Uint16Array(heap),
    i32: new Int32Array(heap),
    u32: new Uint32Array(heap),
    i64: new BigInt64Array(heap),
    u64: new BigUint64Array(heap),
    f32: new Float32Array(heap),
    f64: new Float64Array(heap),
  };
}

export class EmittedFault extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(`${fault.kind} ${fault.message ?? ''}`);
    this.fault = fault;
  }
}

export class Stuck extends Error {
  readonly waiting: readonly Waiting[];
  /** True if a CTA is in a wait that reads the clock. */
  readonly readsClock: boolean;
  constructor(stuck: readonly { readonly program: KernelProgram; readonly cta: Cta }[]) {
    super('deadlock');
    this.waiting = stuck.flatMap(({ program, cta }) => program.waiting(cta));
    this.readsClock = stuck.some(({ program, cta }) => program.readsClock?.(cta) === true);
  }
}

export interface EmittedRun {
  readonly code: ProgramCode;
  readonly printed: readonly (readonly unknown[])[];
  /** True if the threads of a CTA run in lockstep. */
  readonly lockstep: boolean;
}

/** Emits `module` and runs it on `launch`. @throws EmittedFault or Stuck */
export function runEmitted(module: Module, launch: TestLaunch, options: EmitJsOptions = {}): EmittedRun {
  const code = emitJs(asValidated(module), { blockDim: launch.block, fields: { lsaSize: launch.ranks } }, options);
  const printed: unknown[][] = [];
  let cycles = 0n;
  const host = {
    heap: heapViews(launch.heap),
    linear: launch.linear,
    regions: launch.regions,
    network: noNetwork,
    windowAt: () => undefined,
    pointerAt: () => ({ address: 0, region: 0 }),
    addressOf: (address: number) => address,
    clock: () => cycles++,
    print: (_: unknown, thread: number, parts: readonly unknown[]) => void printed.push([thread, ...parts]),
    fault: (_: unknown, fault: Fault): never => {
      throw new EmittedFault(fault);
    },
  };
  interface Running {
    readonly program: KernelProgram;
    readonly cta: Cta;
    done: boolean;
  }
  const running: Running[] = [];
  const programs = Array.from({ length: launch.ranks }, (_, rank) => code.bind(host, launch.args(rank)));
  for (let b = 0; b < launch.grid; b++) {
    programs.forEach((program, rank) => {
      const identity = {
        rank,
        blockIdx: { x: b, y: 0, z: 0 },
        gridDim: { x: launch.grid, y: 1, z: 1 },
        blockDim: launch.block,
      };
      running.push({ program, cta: program.start(identity), done: false });
    });
  }
  for (let quiet = 0; running.some(({ done }) => !done);) {
    let moved = false;
    for (const entry of running) {
      if (entry.done || !entry.program.canResume(entry.cta)) continue;
      const status = entry.program.resume(entry.cta);
      entry.done = status === 'done';
      moved ||= status !== 'yielded';
    }
    quiet = moved ? 0 : quiet + 1;
    if (quiet > 20) throw new Stuck(running.filter(({ done }) => !done));
  }
  return { code, printed, lockstep: !code.text.includes('function run(cta, t)') };
}

/** Tests pass modules that they know to be valid. */
export function asValidated(module: Module): ValidatedModule {
  return module as ValidatedModule;
}
