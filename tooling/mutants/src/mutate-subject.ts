import type { ListedMutant } from './listing.ts';
import { OpenSubject } from './open-subject.ts';
import { recordOf } from './outcome-of.ts';
import type { LedgerMutant } from './ledger.ts';
import type { SubjectRecord } from './record.ts';
import type { Subject } from './subject.ts';
import type { Trial } from './trial.ts';

export interface MutationOptions {
  readonly trials: readonly Trial[];
  /**
   * The program's kernels, where it is known to be clean: it is run only until each was launched.
   * Absent: under all trials.
   */
  readonly known?: readonly string[] | undefined;
  /** The mutants that are tried. Default: all. */
  readonly chosen?: (subject: string, mutant: ListedMutant) => boolean;
}

/**
 * Runs a subject as it is, and then every mutant of each of its kernels until something complains.
 */
export async function mutateSubject(subject: Subject, options: MutationOptions): Promise<SubjectRecord> {
  const { trials, known, chosen = () => true } = options;
  const open = await OpenSubject.open(subject, trials, known);
  const kernels = [];
  for (const kernel of open.listing.kernels) {
    const mutants: LedgerMutant[] = [];
    for (const mutant of kernel.mutants) {
      const isChosen = chosen(subject.name, mutant);
      mutants.push(isChosen ? { ...mutant, fate: await open.fateOf(kernel.kernel, mutant.id) } : { ...mutant });
    }
    kernels.push({ ...kernel, mutants });
  }
  return recordOf({ ...open.listing, kernels, seconds: 0 });
}
