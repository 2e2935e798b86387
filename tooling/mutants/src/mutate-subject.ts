import type { ValidatedModule } from '@nccl-ts/ir';
import { mutate, probe, type Mutant } from '@nccl-ts/mutation';
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
  const runs = new Runs(subject, module, trials);
  const killedBy: Record<string, number> = {};
  const survivors: Survivor[] = [];
  let unreached = 0;
  for (const mutant of tried) {
    const { id, operator, does } = mutant;
    const complaint = await runs.complaintOf(mutant);
    if (complaint === 'unreached') {
      unreached++;
      continue;
    }
    const equivalence = complaint ?? (await prover.equivalenceOf(mutant, mutants, blockThreads));
    if ('kind' in equivalence && equivalence.kind !== 'wrong') survivors.push({ id, operator, does, equivalence });
    else killedBy[equivalence.by] = (killedBy[equivalence.by] ?? 0) + 1;
  }
  return {
    kernel: module.name,
    mutants: tried.length - unreached,
    killedBy,
    survivors,
    unreached,
    rejected: rejected.length,
    repeated: repeated.length,
  };
}

/** Runs a subject with other modules in the place of one of its kernels. */
class Runs {
  readonly #subject: Subject;
  readonly #kernel: ValidatedModule;
  readonly #trials: readonly Trial[];
  /** By place: whether the program comes there. */
  readonly #reached = new Map<string, boolean>();

  constructor(subject: Subject, kernel: ValidatedModule, trials: readonly Trial[]) {
    this.#subject = subject;
    this.#kernel = kernel;
    this.#trials = trials;
  }

  /** The first complaint of a mutant; of one that nobody complains of at first, whether the program runs what was changed at all. */
  async complaintOf(mutant: Mutant): Promise<Complaint | 'unreached' | undefined> {
    const [first, ...others] = this.#trials;
    const complaint = first === undefined ? undefined : await this.#firstOf(mutant.module, [first]);
    if (complaint !== undefined) return complaint;
    if (!(await this.#reaches(mutant))) return 'unreached';
    return this.#firstOf(mutant.module, others);
  }

  async #reaches(mutant: Mutant): Promise<boolean> {
    const place = mutant.id.slice(0, mutant.id.indexOf(':'));
    const known = this.#reached.get(place);
    if (known !== undefined) return known;
    const trap = probe(this.#kernel, mutant);
    const reached = trap === undefined || (await this.#firstOf(trap, this.#trials)) !== undefined;
    this.#reached.set(place, reached);
    return reached;
  }

  async #firstOf(module: ValidatedModule, trials: readonly Trial[]): Promise<Complaint | undefined> {
    const { run, shape } = this.#subject;
    for (const trial of trials) {
      const complaint = await tryOnce(run, shape, trial, (backend) => swapKernel(backend, this.#kernel, module));
      if (complaint !== undefined) return complaint;
    }
    return undefined;
  }
}
