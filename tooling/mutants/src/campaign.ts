import { mutate, type Mutant } from '@nccl-ts/mutation';
import type { ValidatedModule } from '@nccl-ts/ir';
import type { Subject } from './subject.ts';
import { recordKernels, swapKernel } from './swap-kernel.ts';
import { tryOnce, type Complaint, type Trial } from './trial.ts';

/** What became of one mutant in one subject. */
export interface Fate {
  readonly subject: string;
  readonly kernel: string;
  readonly mutant: Mutant;
  /** Absent: it survived every trial. */
  readonly complaint?: Complaint;
}

/** What became of a subject. */
export interface SubjectOutcome {
  readonly subject: string;
  /** Why it was left out: it is not clean to begin with. */
  readonly unclean?: Complaint;
  readonly fates: readonly Fate[];
  /** Mutants that are no valid modules. */
  readonly rejected: number;
  readonly repeated: number;
}

/** Runs a subject as it is, and then every mutant of each of its kernels until something complains. */
export async function mutateSubject(subject: Subject, trials: readonly Trial[]): Promise<SubjectOutcome> {
  const nothing = { subject: subject.name, fates: [], rejected: 0, repeated: 0 };
  const kernels = new Map<string, ValidatedModule>();
  for (const trial of trials) {
    const recorded = { kernels: (): readonly ValidatedModule[] => [] };
    const unclean = await tryOnce(subject.run, subject.shape, trial, (backend) => {
      const record = recordKernels(backend);
      recorded.kernels = record.kernels;
      return record.backend;
    });
    if (unclean !== undefined) return { ...nothing, unclean };
    for (const module of recorded.kernels()) kernels.set(module.name, module);
  }
  const fates: Fate[] = [];
  let [rejected, repeated] = [0, 0];
  for (const module of kernels.values()) {
    const all = mutate(module);
    rejected += all.rejected.length;
    repeated += all.repeated.length;
    for (const mutant of all.mutants) fates.push(await fateOf(subject, module, mutant, trials));
  }
  return { ...nothing, fates, rejected, repeated };
}

async function fateOf(
  subject: Subject,
  kernel: ValidatedModule,
  mutant: Mutant,
  trials: readonly Trial[],
): Promise<Fate> {
  const about = { subject: subject.name, kernel: kernel.name, mutant };
  for (const trial of trials) {
    const complaint = await tryOnce(subject.run, subject.shape, trial, (backend) =>
      swapKernel(backend, kernel, mutant.module),
    );
    if (complaint !== undefined) return { ...about, complaint };
  }
  return about;
}
