import { NcclError, type Timeline, type TimelineRecorder } from '@nccl-ts/core';
import type { CheckReport } from '@nccl-ts/findings';
import type { Determinacy } from '@nccl-ts/memory-model';
import { createTopology } from '@nccl-ts/topology';
import { defineBackend, type Backend, type OpenWorldOptions } from '@nccl-ts/transport';
import { hasWebAssembly, noWebAssembly, simCapabilities, type EmitJsOptions } from '@nccl-ts/codegen';
import type { EarlierRun } from '../check/earlier-run.ts';
import type { LoadCollectives } from '../collective/load-collectives.ts';
import { emittedJs } from './emitted-js.ts';
import type { GatheringPoints } from '../schedule/gathering.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { interrupts, resolveSimOptions, straggles, type ResolvedSimOptions, type SimOptions } from './sim-options.ts';
import { createSimWorld, type SimWorld } from './sim-world.ts';
import { loadInstruments } from './instruments.ts';
import { openThreads } from '../worker/open-threads.ts';

/** The simulator as a backend: its worlds have further methods. */
export interface SimBackend extends Backend {
  readonly name: 'sim';
  open(options: OpenWorldOptions): Promise<SimWorld>;
  /** True if its worlds check: `mode` is `check`. */
  readonly isChecking: boolean;
  /** True if a world was opened. */
  readonly isOpened: boolean;
  /**
   * Returns the findings so far of the world that was opened last, closed or not, as a frozen
   * value.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` if the backend was made without `mode: 'check'`, or no
   *   world was opened.
   */
  report(): CheckReport;
  /**
   * Returns the recording so far of the world that was opened last, closed or not, in simulated
   * time: see {@link SimWorld.timeline}.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` if the backend was made without `trace`, or no world was
   *   opened.
   */
  timeline(recorder: TimelineRecorder): Timeline;
}

/**
 * Creates a backend that simulates all ranks in this process, on the CPU. It runs one CTA at a
 * time, in an order that the seed determines.
 *
 * Kernels compute the right bytes, or end with an error that names the location and the reason: an
 * access outside a window, a deadlock, a failed assertion. This mode does not detect missing or too
 * weak ordering, because its memory is stronger than a GPU's.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options.
 */
export function sim(options: SimOptions): SimBackend {
  return simWith(resolveSimOptions(options), undefined);
}

/** How turns check the host's clock on the main thread. */
export interface Looks {
  /** The rounds of a loop between two checks, a power of two. */
  readonly rounds: number;
  /** Checks the clock. Returns true if the turn must pause for the event loop. */
  readonly isLate: () => boolean;
}

/** Options for tests. */
export interface SimParts {
  /** The loops that become WebAssembly. @default 'worthwhile' */
  readonly compiles?: EmitJsOptions['compiles'];
  /** True if collectives run without their kernels if possible. @default true */
  readonly native?: boolean;
  /** Loads the engine of these. @default imports the package */
  readonly loadCollectives?: LoadCollectives;
  /** In a checking world, receives the account of other possible runs. If absent, none is made. */
  readonly onDeterminacy?: (account: Determinacy) => void;
  /**
   * In a checking world, true if orders that GPUs guarantee beyond the memory model count.
   *
   * @default false
   */
  readonly hardware?: boolean;
  /**
   * In a checking world, the points at which the lanes of a warp wait for each other, so that they
   * perform an access together, as on GPUs.
   *
   * @default none
   */
  readonly lines?: GatheringPoints | undefined;
  /** In a checking world, the facts of an earlier run. Absent in the first one. */
  readonly earlier?: EarlierRun | undefined;
  /**
   * In a checking world, the number of accesses to words that it remembers, for the text of
   * findings. After more, it forgets all of them, and findings do not tell what happened.
   *
   * @default Infinity
   */
  readonly storyEvents?: number | undefined;
  /** Returns the parts that the next account leaves out. */
  readonly omits?: () => ReadonlySet<string> | undefined;
  /**
   * Replaces the checks of the host's clock every few thousand rounds. With `none`, turns never
   * pause.
   */
  readonly looks?: Looks | 'none';
}

/**
 * Like `sim`, with a scheduler in place of the seed's, and with the given amount of WebAssembly.
 */
export function simWith(
  resolved: ResolvedSimOptions,
  scheduler: Scheduler | undefined,
  {
    compiles = 'worthwhile',
    native = true,
    loadCollectives,
    onDeterminacy,
    omits,
    hardware,
    lines,
    earlier,
    storyEvents,
    looks,
  }: SimParts = {},
): SimBackend {
  if (scheduler !== undefined && resolved.workers > 1) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `workers: ${resolved.workers} uses the schedules of the machine, which cannot be enumerated; explore takes workers: 1.`,
    );
  }
  const topology = createTopology({ ranks: resolved.ranks, lsaSize: resolved.lsaSize });
  let last: SimWorld | undefined;
  const opened = (): SimWorld => {
    if (last === undefined) throw new NcclError('NCCL_INVALID_USAGE', 'This backend has not opened a world.');
    return last;
  };
  return defineBackend<SimBackend>({
    name: 'sim',
    capabilities: { ...simCapabilities, multimem: resolved.multimem },
    open: async ({ onStall }) => {
      if (resolved.engine === 'wasm' && !hasWebAssembly()) throw noWebAssembly("engine: 'wasm'");
      const instruments = await loadInstruments(resolved);
      const regions = instruments.compiling?.webAssemblyRegions;
      const threads = await openThreads(resolved);
      const shared = threads.pool !== undefined;
      last = createSimWorld(
        topology,
        {
          ...resolved,
          ...threads,
          instruments,
          native,
          loadCollectives,
          onDeterminacy,
          hardware,
          lines,
          earlier,
          storyEvents,
          omits,
          isLate: looks === 'none' ? undefined : looks?.isLate,
          onStall,
          ...(scheduler === undefined ? {} : { scheduler }),
        },
        (module, specialisation) =>
          emittedJs(
            module,
            specialisation,
            resolved.fuel,
            {
              trace: resolved.trace !== undefined,
              watch: resolved.mode === 'check',
              interrupts: interrupts(resolved) || lines !== undefined,
              straggles: straggles(resolved),
              gathers: lines !== undefined,
              regions,
              compiles,
              sourceMap: resolved.sourceMaps,
              shared,
            },
            looks === 'none' ? 0 : looks?.rounds,
          ),
      );
      return last;
    },
    isChecking: resolved.mode === 'check',
    get isOpened(): boolean {
      return last !== undefined;
    },
    report: () => opened().report(),
    timeline: (recorder) => opened().timeline(recorder),
  });
}
