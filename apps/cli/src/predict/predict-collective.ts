import type { PredictOptions, PredictProgram } from '@nccl-ts/prediction';
import { algorithmsOf, select, type Algorithm, type CollectiveName } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { tuneCall, tuneCount } from './tune-collective.ts';
import { UsageError } from '../usage-error.ts';
import type { WhatIfChoice } from './what-if-option.ts';
import { predictWithWhatIfs, type WithWhatIfs } from './what-ifs.ts';

/** A collective whose time is predicted. */
export interface PredictedCollective {
  readonly collective: CollectiveName;
  /** Counted as in nccl-tests: the bytes of all ranks' parts, if there are parts. */
  readonly bytes: number;
  readonly element: ScalarKind;
  readonly ranks: number;
  /** @default the selection's choice */
  readonly algorithm?: Algorithm;
}

export interface CollectivePrediction extends WithWhatIfs {
  /** The algorithm and launch. */
  readonly choice: string;
}

/**
 * Predicts one call among others in a graph, out of place. Reductions are sums, and rank 0 is the
 * root.
 *
 * @throws UsageError if there is less than one element for each rank; NcclError if the algorithm
 *   does not support the call.
 */
export async function predictCollective(
  { collective, bytes, element, ranks, algorithm }: PredictedCollective,
  on: Omit<PredictOptions, 'ranks'>,
  whatIfs: readonly WhatIfChoice[] = [],
  onProgress: (doing: string) => void = () => undefined,
): Promise<CollectivePrediction> {
  const count = tuneCount(collective, bytes, scalarInfo[element].bytes, ranks);
  if (count === 0) throw new UsageError(`${bytes} bytes are less than one element per rank (${ranks} ranks)`);
  const place = { backend: 'cuda', nRanks: ranks, lsaSize: ranks, nvlink: true } as const;
  const query = { ...place, collective, element, count, op: 'sum' } as const;
  const { algorithm: chosen, ctas, threads } = select(query, undefined, algorithm);
  const program: PredictProgram = async (backend, measure) => {
    await using world = await World.open({ backend });
    const calls = await world.run(async (comm) => {
      const send = await comm.allocWindow('u8', bytes);
      const recv = await comm.allocWindow('u8', bytes);
      return { comm, send: send.symPtr(0, element), recv: recv.symPtr(0, element) };
    });
    const options = algorithm === undefined ? {} : { algorithm };
    const once = async (): Promise<void> => {
      await Promise.all(calls.map(async (call) => tuneCall(collective, { ...call, count, options })));
      await Promise.all(calls.map(async ({ comm }) => comm.synchronize()));
    };
    // The first call allocates scratch memory.
    await once();
    await measure(once);
  };
  const programs = { asItIs: program, unchecked: program };
  const prediction = await predictWithWhatIfs({ ...on, ranks }, programs, whatIfs, onProgress);
  return { ...prediction, choice: `${chosen} ${ctas} x ${threads}` };
}

/** @throws UsageError if the collective has no such algorithm. */
export function algorithmNamed(collective: CollectiveName, name: string): Algorithm {
  const found = algorithmsOf[collective].find((known) => known === name);
  if (found !== undefined) return found;
  const offered = algorithmsOf[collective].join(', ');
  throw new UsageError(`--algorithm ${name}: ${collective} has no such algorithm; it has ${offered}`);
}
