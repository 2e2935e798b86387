import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cuda, probe } from '@nccl-ts/backend-cuda';
import { kernelOf, redOpCreatePreMulSum } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { byShape, pairwiseCollectiveCases, runCollectiveCase, type CollectiveCase } from '@nccl-ts/conformance';
import { RedOp } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { option } from './option.ts';
import { errorFinding, finish, phase, report } from './phases.ts';
import { domainProblem, domainSize, firstRanks, gpusOf, sharing, useDomains } from './ranks-and-domains.ts';

/*
 * The pairwise cases of the collectives on the GPUs of this machine: bash .gpu/run.sh collectives [--filter TEXT] [--lanes N]
 * [--sharing N] [--lsa-size N]. Cases of more ranks than there are GPUs, or of other load-store domains, are left out by name. All
 * kernels are compiled first, N at a time. With --sharing, up to N ranks share the first GPU; with --lsa-size, so many are in a
 * domain. The verdicts go to $OUT/collectives.json.
 */

interface Verdict {
  readonly case: string;
  readonly verdict: 'pass' | 'fail' | 'unsupported';
  readonly reason?: string;
}

const LANES = 32;
/** Milliseconds that one case may take: a kernel that hangs ends the run. */
const CASE_MILLISECONDS = 20_000;

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
  return kernelOf({ collective, algorithm, element, backend: 'cuda', lsaSize, ...(op === undefined ? {} : { op }) });
}

function unsupported({ ranks, lsaSize }: CollectiveCase, gpus: number): string | undefined {
  if (ranks > (sharing ?? gpus)) return `${ranks} ranks, there are ${gpus} GPUs`;
  return domainProblem(ranks, lsaSize);
}

/** Compiles all kernels, so that the cases find them in the cache. */
async function warmUp(cases: readonly CollectiveCase[]): Promise<void> {
  const backend = cuda(gpusOf(firstRanks));
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

async function limited<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not end')), CASE_MILLISECONDS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function run(cases: readonly CollectiveCase[], verdicts: Verdict[]): Promise<void> {
  for (const { shape, cases: group } of byShape(cases)) {
    await using world = await World.open({ backend: cuda(gpusOf(shape.ranks)) });
    for (const one of group) {
      const reason = await limited(runCollectiveCase(world, one)).catch((error: unknown) =>
        JSON.stringify(errorFinding(error)),
      );
      verdicts.push({ case: one.id, ...(reason === undefined ? { verdict: 'pass' } : { verdict: 'fail', reason }) });
      if (reason !== undefined) report({ case: one.id, reason });
      // Whatever still runs there, the next case would wait for it.
      if (reason?.includes('did not end')) break;
    }
  }
}

useDomains();
const probed = await probe();
report({ probe: probed });
await phase('collectives', async () => {
  const cases = pairwiseCollectiveCases().filter(({ id }) => id.includes(option('--filter') ?? ''));
  const verdicts: Verdict[] = [];
  const able: CollectiveCase[] = [];
  for (const one of cases) {
    const reason = unsupported(one, probed.gpus.length);
    if (reason === undefined) able.push(one);
    else verdicts.push({ case: one.id, verdict: 'unsupported', reason });
  }
  await warmUp(able);
  const started = performance.now();
  try {
    await run(able, verdicts);
  } finally {
    const counts: Record<string, number> = {};
    for (const { verdict } of verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1;
    const summary = { cases: cases.length, done: verdicts.length, counts, ms: Math.round(performance.now() - started) };
    report({ summary });
    const file = join(process.env['OUT'] ?? '.', 'collectives.json');
    writeFileSync(file, JSON.stringify({ machine: probed, sharing, domainSize, summary, verdicts }, undefined, 1));
  }
  if (verdicts.length < cases.length || verdicts.some(({ verdict }) => verdict === 'fail')) {
    throw new Error('not everything passes');
  }
});
finish();
