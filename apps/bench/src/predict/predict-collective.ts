import { sim, type SimOptions, type SimTraceOptions, type SimWorld } from '@nccl-ts/backend-sim';
import {
  allGather,
  allReduce,
  allToAll,
  defaultSelection,
  reduceScatter,
  setSelection,
  type SelectionRule,
} from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { createTimelineRecorder } from '@nccl-ts/timeline';
import { defineBackend } from '@nccl-ts/transport';
import { callsOf } from './calls-of.ts';
import type { PredictedProgram } from './predicted-program.ts';

/** A call whose time is predicted, as nccl-tests counts its bytes; bf16, out of place. */
export interface PredictedCall {
  readonly program: PredictedProgram;
  readonly bytes: number;
  readonly ranks: number;
  /** @default the selection's choice for GPUs */
  readonly rules?: readonly SelectionRule[];
}

const ELEMENT_BYTES = 2;

/**
 * The number of CTAs of 512 threads that fit on an H100 or H200, with 132 multiprocessors of 2048
 * threads.
 */
const RESIDENT_CTAS = 132 * 4;

/** Bytes of the L2 cache of an H100 and an H200 (NVIDIA's data sheets). */
const CACHE_BYTES = 50e6;

/** The calls of a graph take turns through memory: one finds its data if all have room. */
function inTurns(trace: SimTraceOptions, calls: number): SimTraceOptions {
  return { ...trace, memory: { ...trace.memory, cacheBytes: CACHE_BYTES / calls } };
}

type Call = (comm: Communicator, send: Window<'bf16'>, recv: Window<'bf16'>, count: number) => Promise<void>;

const calls: Readonly<Record<PredictedProgram, { readonly inParts: boolean; readonly call: Call }>> = {
  all_reduce: { inParts: false, call: async (comm, send, recv, n) => allReduce(comm, send, recv, n, RedOp.Sum) },
  all_gather: { inParts: true, call: allGather },
  reduce_scatter: { inParts: true, call: async (comm, send, recv, n) => reduceScatter(comm, send, recv, n, RedOp.Sum) },
  alltoall: { inParts: true, call: allToAll },
};

/**
 * Microseconds of one call in a graph of calls, in simulated time. The kernels and the launch are
 * those of the CUDA backend, but run on the simulator. `NaN` without a trace.
 */
export async function predictCollective(
  { program, bytes, ranks, rules = defaultSelection }: PredictedCall,
  trace: SimTraceOptions | false,
  engine: SimOptions['engine'] = 'wasm',
): Promise<number> {
  const memory = trace !== false && inTurns(trace, callsOf(bytes));
  const traced = sim({ ranks, trace: memory, engine, residentCtas: RESIDENT_CTAS });
  let opened: SimWorld | undefined;
  const backend = defineBackend({
    ...traced,
    // The collectives use the backend's name to select the shapes and kernels for GPUs.
    capabilities: { ...traced.capabilities, backend: 'cuda' },
    open: async (options) => {
      opened = await traced.open(options);
      return opened;
    },
  });
  await using world = await World.open({ backend });
  const { inParts, call } = calls[program];
  const elements = bytes / ELEMENT_BYTES;
  const windows = await world.run(async (comm) => {
    setSelection(comm, rules);
    return [await comm.allocWindow('bf16', elements), await comm.allocWindow('bf16', elements)] as const;
  });
  const ends: number[] = [];
  // The first call allocates scratch memory. The time between the ends of two calls is the time of
  // one.
  for (let turn = 0; turn < 2; turn++) {
    await world.run(async (comm) => {
      const [send, recv] = windows[comm.rank] ?? [];
      if (send === undefined || recv === undefined) throw new RangeError('A rank has no windows.');
      await call(comm, send, recv, inParts ? elements / ranks : elements);
      await comm.synchronize();
    });
    if (trace !== false) ends.push(opened?.timeline(createTimelineRecorder()).end ?? Number.NaN);
  }
  return ((ends[1] ?? Number.NaN) - (ends[0] ?? Number.NaN)) / 1000;
}
