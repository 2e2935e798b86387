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
   * The program's kernels, if it is known to be clean. It is then run only until each was launched,
   * and otherwise under all trials.
   */
  readonly known?: readonly string[] | undefined;
  /** The mutants that are tried. @default all */
  readonly chosen?: (subject: string, mutant: ListedMutant) => boolean;
}

/**
 * Runs an unchanged subject, and then every mutant of each of its kernels until an error is found.
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
