import type { SimOptions } from '@nccl-ts/backend-sim';
import type { SimTraceOptions } from '@nccl-ts/cost-model';
import {
  allGather,
  allReduce,
  allToAll,
  defaultSelection,
  reduceScatter,
  setSelection,
  type SelectionRule,
} from '@nccl-ts/collectives';
import type { Communicator, Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { callsOf } from './calls-of.ts';
import type { PredictedProgram } from './predicted-program.ts';
import { tracedTime } from './traced-world.ts';

/** A call whose time is predicted, as nccl-tests counts its bytes; bf16, out of place. */
export interface PredictedCall {
  readonly program: PredictedProgram;
  readonly bytes: number;
  readonly ranks: number;
  /** @default the selection's choice for GPUs */
  readonly rules?: readonly SelectionRule[];
}

const ELEMENT_BYTES = 2;

type StartCollective = (comm: Communicator, send: Window<'bf16'>, recv: Window<'bf16'>, count: number) => Promise<void>;

const calls: Readonly<Record<PredictedProgram, { readonly inParts: boolean; readonly call: StartCollective }>> = {
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
  const { inParts, call } = calls[program];
  const elements = bytes / ELEMENT_BYTES;
  const prepare = async (comm: Communicator): Promise<() => Promise<void>> => {
    setSelection(comm, rules);
    const send = await comm.allocWindow('bf16', elements);
    const recv = await comm.allocWindow('bf16', elements);
    return async () => call(comm, send, recv, inParts ? elements / ranks : elements);
  };
  return tracedTime({ ranks, calls: callsOf(bytes), prepare }, trace, engine);
}
