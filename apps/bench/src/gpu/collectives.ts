import { cuda } from '@nccl-ts/backend-cuda';
import { kernelOf, redOpCreatePreMulSum } from '@nccl-ts/collectives';
import {
  pairwiseCollectiveCases,
  runCollectiveCase,
  runGroupedCollectiveCase,
  type CollectiveCase,
} from '@nccl-ts/conformance';
import { RedOp } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { option } from '../option.ts';
import { errorFinding, report } from './phases.ts';
import { gpusOf } from './ranks-and-domains.ts';
import { runCases } from './run-cases.ts';

/*
 * The pairwise cases of the collectives on the GPUs of this machine: bash .gpu/run.sh collectives
 * [--filter TEXT] [--lanes N] [--sharing N] [--gpus N] [--lsa-size N], as `runCases` takes them.
 * All kernels are compiled first, N at a time. With --grouped true, each case is a group of several
 * calls.
 */

const LANES = 32;
const grouped = option('--grouped') === 'true';

const operators = {
  none: undefined,
  sum: RedOp.Sum,
  prod: RedOp.Prod,
  min: RedOp.Min,
  max: RedOp.Max,
  avg: RedOp.Avg,
  preMulSum: redOpCreatePreMulSum(2),
} as const;

function kernelFor({ collective, algorithm, element, op: name, lsaSize }: CollectiveCase): Kernel {
  const op = operators[name];
  return kernelOf({
    collective,
    algorithm,
    element,
    backend: 'cuda',
    lsaSize,
    grouped,
    ...(op === undefined ? {} : { op }),
  });
}

/** Compiles all kernels, so that the cases find them in the cache. */
async function warmUp(cases: readonly CollectiveCase[]): Promise<void> {
  const backend = cuda(gpusOf(1));
  const world = await backend.open({ onStall: () => undefined });
  const kernels = [...new Set(cases.map(kernelFor))];
  const queue = [...kernels];
  const started = performance.now();
  const lane = async (): Promise<void> => {
    for (let kernel = queue.pop(); kernel !== undefined; kernel = queue.pop()) {
      try {
        const result = validate(kernel.compile(), backend.capabilities);
        if (result.ok) await world.compile(result.module);
      } catch (error) {
        report({ compile: kernel.name, error: errorFinding(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Number(option('--lanes') ?? LANES) }, lane));
  await world[Symbol.asyncDispose]();
  report({ compiled: kernels.length, ms: Math.round(performance.now() - started) });
}

await runCases({
  name: 'collectives',
  cases: pairwiseCollectiveCases(),
  run: grouped ? runGroupedCollectiveCase : runCollectiveCase,
  prepare: warmUp,
});
