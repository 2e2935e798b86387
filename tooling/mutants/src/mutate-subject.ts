import { mutate, type Mutant } from '@nccl-ts/mutation';
import type { KernelOutcome, SubjectOutcome, Survivor } from './outcome.ts';
import { Prover } from './prover.ts';
import type { Subject } from './subject.ts';
import { recordKernels, swapKernel, type Launched } from './swap-kernel.ts';
import { tryOnce, type Complaint, type Trial } from './trial.ts';

export interface MutationOptions {
  readonly trials: readonly Trial[];
  /** The most runs for each proof; 0: none is tried. */
  readonly proofRuns: number;
  /** Which mutants are tried. Default: all. */
  readonly chosen?: (subject: string, mutant: Mutant) => boolean;
}

/** Runs a subject as it is, and then every mutant of each of its kernels until something complains. */
export async function mutateSubject(subject: Subject, options: MutationOptions): Promise<SubjectOutcome> {
  const { name, shape } = subject;
  const launched = new Map<string, Launched>();
  for (const trial of options.trials) {
    let recorded: ReturnType<typeof recordKernels> | undefined;
    const complaint = await tryOnce(subject.run, shape, trial, (backend) => {
      recorded = recordKernels(backend);
      return recorded.backend;
    });
    const failed =
      recorded?.failed() === true ? { by: 'failure', said: 'a launch fails on purpose', trial } : undefined;
    const unclean = complaint ?? failed;
    if (unclean !== undefined) return { subject: name, shape, unclean, kernels: [] };
    for (const one of recorded?.launched() ?? [])
      if (!launched.has(one.module.name)) launched.set(one.module.name, one);
  }
  const kernels: KernelOutcome[] = [];
  for (const one of launched.values()) {
    const outcome = await mutateKernel(subject, one, options);
    if (outcome.mutants > 0) kernels.push(outcome);
  }
  return { subject: name, shape, kernels };
}

async function mutateKernel(
  subject: Subject,
  { module, blockThreads }: Launched,
  { trials, proofRuns, chosen = () => true }: MutationOptions,
): Promise<KernelOutcome> {
  const { mutants, rejected, repeated } = mutate(module);
  const tried = mutants.filter((mutant) => chosen(subject.name, mutant));
  const prover = new Prover(subject, module, proofRuns);
  const killedBy: Record<string, number> = {};
  const survivors: Survivor[] = [];
  const kill = (by: string): void => {
    killedBy[by] = (killedBy[by] ?? 0) + 1;
  };
  for (const mutant of tried) {
    const complaint = await firstComplaint(subject, module, mutant, trials);
    if (complaint !== undefined) {
      kill(complaint.by);
      continue;
    }
    const equivalence = await prover.equivalenceOf(mutant, mutants, blockThreads);
    const { id, operator, does } = mutant;
    if (equivalence.kind === 'wrong') kill(equivalence.by);
    else survivors.push({ id, operator, does, equivalence });
  }
  return {
    kernel: module.name,
    mutants: tried.length,
    killedBy,
    survivors,
    rejected: rejected.length,
    repeated: repeated.length,
  };
}

async function firstComplaint(
  { run, shape }: Subject,
  kernel: Launched['module'],
  mutant: Mutant,
  trials: readonly Trial[],
): Promise<Complaint | undefined> {
  for (const trial of trials) {
    const complaint = await tryOnce(run, shape, trial, (backend) => swapKernel(backend, kernel, mutant.module));
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}
