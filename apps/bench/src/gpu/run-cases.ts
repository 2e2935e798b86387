import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cuda, probe } from '@nccl-ts/backend-cuda';
import { World } from '@nccl-ts/communicator';
import { byShape, type WorldShape } from '@nccl-ts/conformance';
import { provenance } from '../provenance.ts';
import { option } from '../option.ts';
import { errorFinding, finish, phase, report } from './phases.ts';
import { domainSize, firstRanks, gpusOf, shapeProblem, sharedGpus, sharing, useDomains } from './ranks-and-domains.ts';

/** The cases of one kind, each on a world of its shape. */
export interface CaseSet<Case extends WorldShape & { readonly id: string }> {
  /** The name of the phase and of its file in $OUT. */
  readonly name: string;
  readonly cases: readonly Case[];
  /** The problem of a case, or `undefined` if there is none. */
  readonly run: (world: World, one: Case) => Promise<string | undefined>;
  /** Called before the first of the cases that can run. */
  readonly prepare?: (able: readonly Case[]) => Promise<void>;
}

interface CaseOutcome {
  readonly case: string;
  readonly verdict: 'pass' | 'fail' | 'unsupported';
  readonly reason?: string;
  readonly ms?: number;
}

/** The time limit of a case in milliseconds. A kernel that hangs ends the run. */
const CASE_MILLISECONDS = 20_000;

/**
 * Runs the cases that `--filter` selects on the GPUs of this machine, and writes the verdicts to
 * $OUT/NAME.json. Cases are listed as skipped if they have more ranks than the GPUs allow (see
 * `--sharing` and `--gpus`), or other load-store domains than `--lsa-size`.
 */
export async function runCases<Case extends WorldShape & { readonly id: string }>(set: CaseSet<Case>): Promise<void> {
  useDomains();
  const probed = await probe();
  report({ probe: probed });
  await phase(set.name, async () => {
    const cases = set.cases.filter(({ id }) => id.includes(option('--filter') ?? ''));
    const verdicts: CaseOutcome[] = [];
    const able: Case[] = [];
    for (const one of cases) {
      const reason = shapeProblem(one, probed.gpus.length);
      if (reason === undefined) able.push(one);
      else verdicts.push({ case: one.id, verdict: 'unsupported', reason });
    }
    if (sharing !== undefined) await (await World.open({ backend: cuda(gpusOf(firstRanks)) }))[Symbol.asyncDispose]();
    await set.prepare?.(able);
    const started = performance.now();
    try {
      await runAble(set, able, verdicts);
    } finally {
      const counts: Record<string, number> = {};
      for (const { verdict } of verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1;
      const summary = {
        cases: cases.length,
        done: verdicts.length,
        counts,
        ms: Math.round(performance.now() - started),
      };
      report({ summary });
      const file = join(process.env['OUT'] ?? '.', `${set.name}.json`);
      writeFileSync(
        file,
        JSON.stringify(
          { ...provenance(), machine: probed, sharing, sharedGpus, domainSize, summary, verdicts },
          undefined,
          1,
        ),
      );
    }
    if (verdicts.length < cases.length || verdicts.some(({ verdict }) => verdict === 'fail')) {
      throw new Error('not everything passes');
    }
  });
  finish();
}

async function runAble<Case extends WorldShape & { readonly id: string }>(
  set: CaseSet<Case>,
  able: readonly Case[],
  verdicts: CaseOutcome[],
): Promise<void> {
  for (const { shape, cases } of byShape(able)) {
    await using world = await World.open({ backend: cuda(gpusOf(shape.ranks)) });
    for (const one of cases) {
      const began = performance.now();
      const reason = await limited(set.run(world, one)).catch((error: unknown) => JSON.stringify(errorFinding(error)));
      const ms = Math.round(performance.now() - began);
      verdicts.push({
        case: one.id,
        ms,
        ...(reason === undefined ? { verdict: 'pass' } : { verdict: 'fail', reason }),
      });
      if (reason !== undefined) report({ case: one.id, reason });
      // The next case would wait for the launch that still runs.
      if (reason?.includes('did not end')) break;
    }
  }
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
