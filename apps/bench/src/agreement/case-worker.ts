import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { byShape, problemsOf, runCollectiveCase, type CollectiveCase } from '@nccl-ts/conformance';
import { isNcclError } from '@nccl-ts/core';
import { batchesOf, type CaseSet } from './batches.ts';

/** The options of a thread that runs batches. */
export interface CaseWorkerOptions {
  readonly set: CaseSet;
  readonly filter: string;
  readonly engine: 'js' | 'wasm';
}

/** The result of a batch: the number of cases run, and the problems by case. */
export interface BatchOutcome {
  readonly cases: number;
  readonly problems: readonly string[];
}

/**
 * Runs batches by their index. A case that throws counts as a problem, and so does a problem that a
 * closed world reports.
 */
export function caseWorker({ set, filter, engine }: CaseWorkerOptions): (batch: number) => Promise<BatchOutcome> {
  const batches = batchesOf(set, filter);
  return async (index) => {
    const problems: string[] = [];
    const cases = batches[index] ?? [];
    for (const { shape, cases: some } of byShape(cases)) {
      await using world = await World.open({ backend: sim({ ...shape, engine }) });
      problems.push(...(await problemsOf(world, some, runCaught)));
    }
    return { cases: cases.length, problems };
  };
}

async function runCaught(world: World, one: CollectiveCase): Promise<string | undefined> {
  return runCollectiveCase(world, one).catch((error: unknown) => {
    if (!isNcclError(error)) throw error;
    return `${error.code}: ${error.message}`;
  });
}
