import type { KernelOutcome, SubjectOutcome, Survivor } from './outcome.ts';
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
  let unreached = 0;
  for (const { id, operator, does, fate } of mutants) {
    switch (fate?.kind) {
      case 'killed':
        killedBy[fate.by] = (killedBy[fate.by] ?? 0) + 1;
        break;
      case 'survived':
        survivors.push({ id, operator, does, equivalence: fate.equivalence });
        break;
      case 'unknown':
        survivors.push({ id, operator, does, equivalence: { kind: 'unproven', why: fate.why } });
        break;
      case 'unreached':
      case undefined:
        unreached++;
    }
  }
  return { kernel, mutants: mutants.length - unreached, killedBy, survivors, unreached, rejected, repeated };
}
