import { ALL_RUNS } from './fate.ts';
import type { LedgerMutant, LedgerSubject } from './ledger.ts';
import type { ListedKernel } from './listing.ts';
import { isLarge, type Equivalence } from './outcome.ts';
import { hashOfIds, type KernelRecord, type Letter, type SubjectRecord } from './record.ts';

/** The outcome of a program, or `undefined` until each of its mutants has a result. */
export function outcomeOf(known: LedgerSubject): SubjectRecord | undefined {
  const isWhole = known.kernels.every(({ mutants }) => mutants.every(({ fate }) => fate !== undefined));
  return known.unclean !== undefined || isWhole ? recordOf(known) : undefined;
}

/** The record of a program, with `.` for each mutant without a result. */
export function recordOf({ subject, shape, unclean, kernels }: LedgerSubject): SubjectRecord {
  if (unclean !== undefined) return { subject, shape, unclean, kernels: [] };
  return { subject, shape, kernels: kernels.filter(({ mutants }) => mutants.length > 0).map(kernelRecord) };
}

function kernelRecord({ kernel, mutants, rejected, repeated }: ListedKernel<LedgerMutant>): KernelRecord {
  const killedBy: Record<string, number> = {};
  for (const { fate } of mutants) {
    if (fate?.kind === 'killed') killedBy[fate.by] = (killedBy[fate.by] ?? 0) + 1;
  }
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  const verdicts = mutants.map((mutant) => letterOf(mutant, byId)).join('');
  return { kernel, ids: hashOfIds(mutants), verdicts, killedBy, rejected, repeated };
}

function letterOf({ fate }: LedgerMutant, all: ReadonlyMap<string, LedgerMutant>): Letter {
  switch (fate?.kind) {
    case 'killed':
      return fate.how === ALL_RUNS ? 'a' : 'k';
    case 'survived':
      return letterOfEquivalence(fate.equivalence, all);
    case 'unknown':
      return 't';
    case 'unreached':
      return '-';
    case undefined:
      return '.';
  }
}

function letterOfEquivalence(equivalence: Equivalence, all: ReadonlyMap<string, LedgerMutant>): Letter {
  switch (equivalence.kind) {
    case 'same fence':
    case 'one warp':
      return 'e';
    case 'unproven':
      return 'u';
    case 'exhaustive':
      if (!isLarge(equivalence.size)) return 's';
      return equivalence.schedules > 1 ? 'g' : 'o';
    case 'less than': {
      if (!isLarge(equivalence.size)) return 's';
      const stronger = all.get(equivalence.of)?.fate;
      const isExplored =
        stronger?.kind === 'survived' &&
        stronger.equivalence.kind === 'exhaustive' &&
        stronger.equivalence.schedules > 1;
      return isExplored ? 'm' : 'l';
    }
  }
}
