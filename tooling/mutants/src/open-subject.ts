import { mutate, type Mutant, type Mutation } from '@nccl-ts/mutation';
import { baselineOf } from './baseline.ts';
import { checkByDefault, type DefaultVerdict } from './default-check.ts';
import { evidentEquivalence } from './evident-equivalence.ts';
import type { Fate } from './fate.ts';
import { KernelRuns } from './kernel-runs.ts';
import type { Listing } from './listing.ts';
import type { Proof } from './outcome.ts';
import { prove } from './prove.ts';
import { formsOf, type Subject } from './subject.ts';
import { swapKernel, type Launched } from './swap-kernel.ts';
import type { Trial } from './trial.ts';

interface OpenKernel extends Launched {
  readonly mutation: Mutation;
  readonly runs: KernelRuns;
}

/** A program that was run unchanged, with the mutants of its kernels. */
export class OpenSubject {
  readonly listing: Listing;
  readonly #subject: Subject;
  readonly #trials: readonly Trial[];
  readonly #kernels: ReadonlyMap<string, OpenKernel>;

  private constructor(subject: Subject, trials: readonly Trial[], kernels: readonly OpenKernel[], listing: Listing) {
    this.#subject = subject;
    this.#trials = trials;
    this.#kernels = new Map(kernels.map((one) => [one.module.name, one]));
    this.listing = listing;
  }

  /**
   * Runs a program under all of `trials`. If its kernels are `known`, it runs without a check and
   * only until each was launched.
   */
  static async open(subject: Subject, trials: readonly Trial[], known?: readonly string[]): Promise<OpenSubject> {
    const { name, shape } = subject;
    const { unclean, launched } = await baselineOf(subject, trials, known);
    const kernels = launched.map((one) => ({
      ...one,
      mutation: mutate(one.module),
      runs: new KernelRuns(formsOf(subject), one.module, trials),
    }));
    const listed = kernels.map(({ module, mutation: { mutants, rejected, repeated } }) => ({
      kernel: module.name,
      mutants: mutants.map(({ id, operator, does }) => ({ id, operator, does })),
      rejected: rejected.length,
      repeated: repeated.length,
    }));
    const listing = { subject: name, shape, kernels: listed.filter(({ mutants }) => mutants.length > 0) };
    return new OpenSubject(subject, trials, kernels, unclean === undefined ? listing : { ...listing, unclean });
  }

  /** Tries a mutant until an error is found. */
  async fateOf(kernel: string, id: string): Promise<Fate> {
    const { runs, blockThreads, mutant } = this.#find(kernel, id);
    const complaint = await runs.complaintOf(mutant);
    if (complaint === 'unreached') return { kind: 'unreached' };
    if (complaint !== undefined) {
      const { by, trial } = complaint;
      const how = `${trial.strategy}:${trial.seed}`;
      return { kind: 'killed', by, how, tried: this.#trials.indexOf(trial) + 1 };
    }
    const equivalence = evidentEquivalence(mutant, blockThreads) ?? { kind: 'unproven', why: 'no proof was tried' };
    return { kind: 'survived', tried: this.#trials.length, equivalence };
  }

  /** The result of the plain check with its defaults for a mutant. */
  async defaultOf(kernel: string, id: string): Promise<DefaultVerdict> {
    const { module, mutant } = this.#find(kernel, id);
    return checkByDefault(formsOf(this.#subject), (backend) => swapKernel(backend, module, mutant.module));
  }

  /** Explores all runs of a mutant, at most `runs`. */
  async proofOf(kernel: string, id: string, runs: number): Promise<Proof> {
    const { module, mutant } = this.#find(kernel, id);
    return prove({ subject: this.#subject, kernel: module, mutant, trials: this.#trials, runs });
  }

  #find(kernel: string, id: string): OpenKernel & { readonly mutant: Mutant } {
    const open = this.#kernels.get(kernel);
    const mutant = open?.mutation.mutants.find((one) => one.id === id);
    if (open === undefined || mutant === undefined) {
      throw new RangeError(`${this.#subject.name}: ${kernel} has no mutant ${id}.`);
    }
    return { ...open, mutant };
  }
}
