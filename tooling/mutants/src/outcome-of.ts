import type { KernelOutcome, SubjectOutcome, Survivor, UnknownMutant } from './outcome.ts';
import { ALL_RUNS } from './fate.ts';
import type { LedgerMutant, LedgerSubject } from './ledger.ts';
import type { ListedKernel } from './listing.ts';

/** What is known of a program, once something is known of each of its mutants; undefined before. */
export function outcomeOf({ subject, shape, unclean, kernels }: LedgerSubject): SubjectOutcome | undefined {
  if (unclean !== undefined) return { subject, shape, unclean, kernels: [] };
  if (!kernels.every(({ mutants }) => mutants.every(({ fate }) => fate !== undefined))) return undefined;
  return { subject, shape, kernels: kernels.map(kernelOutcome).filter(({ mutants }) => mutants > 0) };
}

function kernelOutcome({ kernel, mutants, rejected, repeated }: ListedKernel<LedgerMutant>): KernelOutcome {
  const killedBy: Record<string, number> = {};
  const survivors: Survivor[] = [];
  const unknown: UnknownMutant[] = [];
  const inAllRunsAlone: string[] = [];
  let unreached = 0;
  for (const { id, operator, does, fate } of mutants) {
    switch (fate?.kind) {
      case 'killed':
        killedBy[fate.by] = (killedBy[fate.by] ?? 0) + 1;
        if (fate.how === ALL_RUNS) inAllRunsAlone.push(id);
        break;
      case 'survived':
        survivors.push({ id, operator, does, equivalence: fate.equivalence });
        break;
      case 'unknown':
        unknown.push({ id, why: fate.why });
        break;
      case 'unreached':
      case undefined:
        unreached++;
    }
  }
  return {
    kernel,
    mutants: mutants.length - unreached,
    killedBy,
    survivors,
    ...(unknown.length > 0 && { unknown }),
    ...(inAllRunsAlone.length > 0 && { inAllRunsAlone }),
    unreached,
    rejected,
    repeated,
  };
}
