import type { ListedMutant } from './listing.ts';
import { OpenSubject } from './open-subject.ts';
import type { SubjectOutcome } from './outcome.ts';
import { outcomeOf } from './outcome-of.ts';
import type { LedgerMutant } from './ledger.ts';
import type { Subject } from './subject.ts';
import type { Trial } from './trial.ts';

export interface MutationOptions {
  readonly trials: readonly Trial[];
  /** Which mutants are tried. Default: all. */
  readonly chosen?: (subject: string, mutant: ListedMutant) => boolean;
}

/** Runs a subject as it is, and then every mutant of each of its kernels until something complains. */
export async function mutateSubject(subject: Subject, options: MutationOptions): Promise<SubjectOutcome> {
  const { trials, chosen = () => true } = options;
  const open = await OpenSubject.open(subject, trials);
  const kernels = [];
  for (const kernel of open.listing.kernels) {
    const mutants: LedgerMutant[] = [];
    for (const mutant of kernel.mutants.filter((one) => chosen(subject.name, one))) {
      mutants.push({ ...mutant, fate: await open.fateOf(kernel.kernel, mutant.id) });
    }
    kernels.push({ ...kernel, mutants });
  }
  const outcome = outcomeOf({ ...open.listing, kernels, seconds: 0 });
  if (outcome === undefined) throw new Error(`${subject.name}: not every mutant was tried.`);
  return outcome;
}
