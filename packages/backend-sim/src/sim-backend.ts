import { NcclError, scalarKinds } from '@nccl-ts/core';
import type { CheckReport } from '@nccl-ts/findings';
import type { Capabilities } from '@nccl-ts/ir';
import type { Determinacy } from '@nccl-ts/memory-model';
import { createTopology } from '@nccl-ts/topology';
import { defineBackend, type Backend, type OpenWorldOptions } from '@nccl-ts/transport';
import { primitives, type EmitJsOptions } from './emit-js/index.ts';
import { emittedJs } from './emitted-js.ts';
import { hasWebAssembly, noWebAssembly } from './memory/web-assembly.ts';
import type { Scheduler } from './schedule/scheduler.ts';
import { interrupts, resolveSimOptions, straggles, type ResolvedSimOptions, type SimOptions } from './sim-options.ts';
import { createSimWorld, type SimWorld } from './sim-world.ts';
import { openThreads } from './worker/open-threads.ts';

/** The simulator as a backend: its worlds say more than others. */
export interface SimBackend extends Backend {
  readonly name: 'sim';
  open(options: OpenWorldOptions): Promise<SimWorld>;
  /** True if its worlds check: `mode` is `check`. */
  readonly isChecking: boolean;
  /** True if a world was opened. */
  readonly isOpened: boolean;
  /**
   * What the check has found so far in the world that was opened last, closed or not, as a frozen
   * value.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` where the backend was made without `mode: 'check'`, or
   *   no world was opened.
   */
  report(): CheckReport;
}

/** What the simulator can run, whatever machine it simulates, but for what that machine lacks. */
const capabilities: Omit<Capabilities, 'multimem'> = {
  backend: 'sim',
  scalars: scalarKinds,
  maxBlockThreads: 1024,
  maxSharedBytes: 227 * 1024,
  divergentWaits: true,
  subgroups: true,
  print: true,
  addressPointers: true,
  primitives: Object.freeze(Object.keys(primitives)),
  checks: Object.freeze(['bounds', 'alignment', 'fault', 'deadlock', 'misuse'] as const),
};

/**
 * A backend that simulates all ranks in this process, on the CPU, one CTA at a time in an order
 * that the seed decides.
 *
 * Kernels run to the right bytes, or end with an error that says where and why: an access outside
 * of a window, a deadlock, a failed assertion. Missing or too weak ordering is not found: memory
 * here is stronger than a GPU's.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for options that cannot be.
 */
export function sim(options: SimOptions): SimBackend {
  return simWith(resolveSimOptions(options), undefined);
}

/** What tests want otherwise than anybody else. */
export interface SimParts {
  /** Which loops become WebAssembly. @default 'worthwhile' */
  readonly compiles?: EmitJsOptions['compiles'];
  /** True if collectives are done without their kernels, where they can be. @default true */
  readonly native?: boolean;
  /**
   * Told who keeps account, in a world that checks, of whether there are other runs; absent: nobody
   * does.
   */
  readonly onDeterminacy?: (account: Determinacy) => void;
  /**
   * Whether, in a world that checks, what GPUs order beyond the memory model counts. @default false
   */
  readonly hardware?: boolean;
  /** What the next account leaves out. */
  readonly omits?: () => ReadonlySet<string> | undefined;
}

/** `sim`, with a scheduler instead of that of the seed, and with as much WebAssembly as said. */
export function simWith(
  resolved: ResolvedSimOptions,
  scheduler: Scheduler | undefined,
  { compiles = 'worthwhile', native = true, onDeterminacy, omits, hardware }: SimParts = {},
): SimBackend {
  if (scheduler !== undefined && resolved.workers > 1) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `workers: ${resolved.workers} has the schedules of the machine, which cannot be gone through; explore takes workers: 1.`,
    );
  }
  const topology = createTopology({ ranks: resolved.ranks, lsaSize: resolved.lsaSize });
  let last: SimWorld | undefined;
  return defineBackend<SimBackend>({
    name: 'sim',
    capabilities: { ...capabilities, multimem: resolved.multimem },
    open: async ({ onStall }) => {
      if (resolved.engine === 'wasm' && !hasWebAssembly()) throw noWebAssembly("engine: 'wasm'");
      const threads = await openThreads(resolved);
      const shared = threads.pool !== undefined;
      last = createSimWorld(
        topology,
        {
          ...resolved,
          ...threads,
          native,
          onDeterminacy,
          hardware,
          omits,
          onStall,
          ...(scheduler === undefined ? {} : { scheduler }),
        },
        (module, specialisation) =>
          emittedJs(module, specialisation, resolved.fuel, {
            trace: resolved.trace !== undefined,
            watch: resolved.mode === 'check',
            interrupts: interrupts(resolved),
            straggles: straggles(resolved),
            engine: resolved.engine,
            compiles,
            sourceMap: resolved.sourceMaps,
            shared,
          }),
      );
      return last;
    },
    isChecking: resolved.mode === 'check',
    get isOpened(): boolean {
      return last !== undefined;
    },
    report: () => {
      if (last === undefined)
        throw new NcclError('NCCL_INVALID_USAGE', 'This backend has opened no world to report on.');
      return last.report();
    },
  });
}
