import { sim, type SimOptions, type SimWorld } from '@nccl-ts/backend-sim';
import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { World, type Communicator } from '@nccl-ts/communicator';
import { createTimelineRecorder } from '@nccl-ts/timeline';
import { defineBackend } from '@nccl-ts/transport';

/**
 * The number of CTAs of 512 threads that fit on an H100 or H200, with 132 multiprocessors of 2048
 * threads.
 */
const RESIDENT_CTAS = 132 * 4;

/** Bytes of the L2 cache of an H100 and an H200 (NVIDIA's data sheets). */
const CACHE_BYTES = 50e6;

/** A call that is made again and again. */
export interface RepeatedCall {
  readonly ranks: number;
  /** The calls of a graph, which take turns through the cache: one finds its data if all fit. */
  readonly calls: number;
  /** Makes a rank's memory. Returns the function that makes call number `nth`. */
  readonly prepare: (comm: Communicator) => Promise<(nth: number) => Promise<void>>;
}

/**
 * Microseconds of one call among others, in simulated time. The simulator runs the kernels of the
 * CUDA backend. `NaN` without a trace.
 */
export async function tracedTime(
  { ranks, calls, prepare }: RepeatedCall,
  trace: SimTraceOptions | false,
  engine: SimOptions['engine'] = 'wasm',
): Promise<number> {
  const memory = trace !== false && { ...trace, memory: { ...trace.memory, cacheBytes: CACHE_BYTES / calls } };
  const traced = sim({ ranks, trace: memory, engine, residentCtas: RESIDENT_CTAS });
  let opened: SimWorld | undefined;
  const backend = defineBackend({
    ...traced,
    // The collectives use the backend's name to select the shapes and kernels for GPUs.
    capabilities: { ...traced.capabilities, backend: 'cuda' },
    open: async (options) => {
      opened = await traced.open(options);
      return Object.assign(opened, { nvlink: true });
    },
  });
  await using world = await World.open({ backend });
  const made = await world.run(prepare);
  const ends: number[] = [];
  // The first call allocates scratch memory. The time between the ends of two calls is the time of
  // one.
  for (let nth = 0; nth < 2; nth++) {
    await world.run(async (comm) => {
      const call = made[comm.rank];
      if (call === undefined) throw new RangeError('A rank has no call.');
      await call(nth);
      await comm.synchronize();
    });
    if (trace !== false) ends.push(opened?.timeline(createTimelineRecorder()).end ?? Number.NaN);
  }
  return ((ends[1] ?? Number.NaN) - (ends[0] ?? Number.NaN)) / 1000;
}
