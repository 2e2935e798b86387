import {
  algorithmNames,
  defaultSelection,
  select,
  type CollectiveName,
  type SelectionRule,
} from '@nccl-ts/collectives';
import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { PredictedProgram } from './predicted-program.ts';

const collectives: Readonly<Record<PredictedProgram, CollectiveName>> = {
  all_reduce: 'allReduce',
  all_gather: 'allGather',
  reduce_scatter: 'reduceScatter',
  alltoall: 'allToAll',
};

/** The rules of a contender of `gpu/table.ts`: `own`, or ALGORITHM[:CTAS[:THREADS]]. */
export function rulesOf(program: PredictedProgram, contender: string): readonly SelectionRule[] | undefined {
  if (contender === 'own') return defaultSelection;
  const [name, ctas, threads] = contender.split(':');
  const algorithm = algorithmNames.find((known) => known === name);
  if (algorithm === undefined) return undefined;
  return [
    {
      collective: collectives[program],
      algorithm,
      ...(ctas === undefined ? {} : { ctas: Number(ctas) }),
      ...(threads === undefined ? {} : { threads: Number(threads) }),
    },
  ];
}

/** The launch that a contender makes on GPUs, as ALGORITHM:CTAS:THREADS. */
export function choiceOf(
  program: PredictedProgram,
  contender: string,
  bytes: number,
  ranks: number,
  element: ScalarKind = 'bf16',
): string {
  const count = bytes / scalarInfo[element].bytes / (program === 'all_reduce' ? 1 : ranks);
  const query = { backend: 'cuda', nRanks: ranks, lsaSize: ranks, nvlink: true, element, op: 'sum' } as const;
  const { algorithm, ctas, threads } = select(
    { ...query, collective: collectives[program], count },
    rulesOf(program, contender),
  );
  return `${algorithm}:${ctas}:${threads}`;
}
