import { NcclError, showValue, type Timeline, type TimelineRecorder } from '@nccl-ts/core';
import { defineBackend, type Backend } from '@nccl-ts/transport';
import { hasWebAssembly } from '@nccl-ts/codegen';
import { sim, type SimOptions, type SimWorld } from '@nccl-ts/backend-sim';
import { type CostModel, type SimTraceOptions, resolveTrace } from '@nccl-ts/cost-model';
import type { ValidatedModule } from '@nccl-ts/ir';
import type { PredictedPart } from './critical-path.ts';
import { syncCosts, type PredictedSync } from './sync-costs.ts';
import { TimeUse, type PredictedLaunch, type PredictedWait } from './time-use.ts';

/** The machine whose time is predicted. */
export interface PredictOptions extends Pick<
  SimOptions,
  'ranks' | 'lsaSize' | 'residentCtas' | 'fuel' | 'memoryBytes'
> {
  /** One of `machines`, or the result of `traceOfProfile`. */
  readonly machine: SimTraceOptions;
  /**
   * If true, the program runs once more for each cause, on a machine where that cause costs
   * nothing. This shows which causes bound the time.
   * @default true
   */
  readonly bounds?: boolean;
  /** Records everything that the program does, for the timeline of the prediction. */
  readonly recorder?: TimelineRecorder;
}

/**
 * A program whose time is predicted. It must open a world on `backend`, do the same each time, and
 * close the world. If it calls `measure`, only the time of the work in it counts. It must
 * synchronize the ranks at the end of that work.
 */
export type PredictProgram = (
  backend: Backend,
  measure: (work: () => Promise<unknown>) => Promise<void>,
) => Promise<unknown>;

/** A possible cause of a time. */
export type BoundName = 'launch' | 'latency' | 'one CTA' | 'link' | 'memory' | 'synchronization' | 'network';

/** The part of a time that one cause accounts for: the program is that much faster without it. */
export interface PredictedBound {
  readonly name: BoundName;
  readonly nanoseconds: number;
}

/** A predicted time with its causes. */
export interface Prediction {
  readonly nanoseconds: number;
  /**
   * The causes, largest part first. Parts overlap, so they do not add up to the whole. Empty if
   * `bounds` is false.
   */
  readonly bounds: readonly PredictedBound[];
  /** The longest wait of any rank; absent if no rank waits for another. */
  readonly wait?: PredictedWait;
  /**
   * The critical path, largest part first: what decided when the program ended, by the line of the
   * source. Its parts add up to the time of the whole program, also of work outside of `measure`.
   */
  readonly path: readonly PredictedPart[];
  /**
   * The cost on that path of each line that synchronizes, largest first. With the parts of the path
   * that are no synchronization, the costs add up to its time.
   */
  readonly syncs: readonly PredictedSync[];
  /** The launches of each stream, in their order. */
  readonly launches: readonly PredictedLaunch[];
  /** The recording of `recorder`; absent without one. */
  readonly timeline?: Timeline;
}

/** A speed at which an operation takes negligible time. */
const FAST = 1e9;

const noSyncTime = {
  stepTime: 0,
  syncTime: 0,
  fenceTime: 0,
  ctaFenceTime: 0,
  deviceFenceTime: 0,
  deviceCtaFenceTime: 0,
};

/** The machine without one of the causes. */
const without: Readonly<Record<Exclude<BoundName, 'launch'>, (cost: CostModel) => SimTraceOptions>> = {
  latency: (cost) => ({
    ...cost,
    memory: { ...cost.memory, latency: 0, cachedLatency: 0, atomicLatency: 0 },
    nvlink: { ...cost.nvlink, latency: 0, loadLatency: 0, storeLatency: 0, atomicLatency: 0 },
  }),
  'one CTA': (cost) => ({
    ...cost,
    ctaBandwidth: FAST,
    memory: { ...cost.memory, ctaBandwidth: FAST, ctaStoreBandwidth: FAST },
  }),
  link: (cost) => ({
    ...cost,
    nvlink: { ...cost.nvlink, bandwidth: FAST, storeBandwidth: FAST, byCtas: [], storesByCtas: [] },
  }),
  memory: (cost) => ({ ...cost, memory: { ...cost.memory, bandwidth: FAST } }),
  synchronization: (cost) => ({ ...cost, ...noSyncTime }),
  network: (cost) => ({ ...cost, network: { latency: 0, bandwidth: FAST, messageTime: 0 } }),
};

/**
 * Predicts the time of a program on GPUs. The program runs on the simulator, in the simulated time
 * of the machine. Its collectives use the kernels and launches for GPUs.
 *
 * The prediction covers kernels and their launches in a graph, but not the host program. The README
 * states how far predictions were from measurements.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options; the errors of the program.
 */
export async function predict(options: PredictOptions, program: PredictProgram): Promise<Prediction> {
  if (typeof program !== 'function') {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `predict needs a program; given ${showValue(program)}.`);
  }
  const { machine, bounds: isRequested = true, recorder, ...rest } = options;
  const cost = resolveTrace(machine);
  if (cost === undefined) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', 'predict needs the costs of a machine, such as one of machines.');
  }
  const { nanoseconds, use, timeline, kernels } = await timeOf(rest, cost, program, recorder);
  const parts: PredictedBound[] = [];
  if (isRequested) {
    const noLaunch = await timeOf(rest, { ...cost, launchLatency: 0, launchByCtas: [], launchByRanks: [] }, program);
    parts.push({ name: 'launch', nanoseconds: nanoseconds - noLaunch.nanoseconds });
    for (const [name, change] of Object.entries(without)) {
      if (!isCause(name) || (name === 'network' && !use.usesNetwork)) continue;
      const free = await timeOf(rest, change(cost), program);
      parts.push({ name, nanoseconds: nanoseconds - free.nanoseconds });
    }
  }
  const bounds = parts.filter((one) => one.nanoseconds > 0).toSorted((a, b) => b.nanoseconds - a.nanoseconds);
  const wait = use.longestWait;
  const path = use.path.parts();
  return Object.freeze({
    nanoseconds,
    bounds: Object.freeze(bounds),
    ...(wait === undefined ? {} : { wait }),
    path: Object.freeze(path),
    syncs: Object.freeze(syncCosts(kernels, path)),
    launches: Object.freeze(use.launches),
    ...(timeline === undefined ? {} : { timeline }),
  });
}

function isCause(name: string): name is keyof typeof without {
  return Object.hasOwn(without, name);
}

/** The number of CTAs of 512 threads for which an H100 or H200 has room. */
const RESIDENT_CTAS = 132 * 4;

/** A program that has run in simulated time. */
interface TimedProgram {
  readonly nanoseconds: number;
  readonly use: TimeUse;
  readonly timeline: Timeline | undefined;
  readonly kernels: ReadonlySet<ValidatedModule>;
}

async function timeOf(
  options: Omit<PredictOptions, 'machine' | 'bounds' | 'recorder'>,
  trace: SimTraceOptions,
  program: PredictProgram,
  recorder?: TimelineRecorder,
): Promise<TimedProgram> {
  const engine = hasWebAssembly() ? 'wasm' : 'js';
  const traced = sim({ residentCtas: RESIDENT_CTAS, ...options, engine, trace });
  const worlds: SimWorld[] = [];
  const kernels = new Set<ValidatedModule>();
  const backend = defineBackend<Backend>({
    ...traced,
    // Collectives choose by the backend's name, so this selects the shapes and kernels of GPUs.
    capabilities: { ...traced.capabilities, backend: 'cuda' },
    open: async (request) => {
      const world = await traced.open(request);
      worlds.push(world);
      // A machine's costs are those of NVLink.
      const compile = world.compile.bind(world);
      return Object.assign(world, {
        nvlink: true,
        compile: async (...[module, given]: Parameters<SimWorld['compile']>) => {
          kernels.add(module);
          return compile(module, given);
        },
      });
    },
  });
  const used = (): TimeUse | undefined => {
    const world = worlds.at(-1);
    if (world === undefined) return undefined;
    const use = new TimeUse();
    world.timeline(use);
    return use;
  };
  let measured: number | undefined;
  await program(backend, async (work) => {
    const began = used()?.latest ?? 0;
    await work();
    measured = (measured ?? 0) + (used()?.latest ?? 0) - began;
  });
  const use = used();
  if (use === undefined) {
    throw new NcclError('NCCL_INVALID_USAGE', 'predict: the program opened no world on its backend.');
  }
  const timeline = recorder === undefined ? undefined : worlds.at(-1)?.timeline(recorder);
  return { nanoseconds: measured ?? use.latest, use, timeline, kernels };
}
