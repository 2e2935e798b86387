import type { ValidatedModule } from '@nccl-ts/ir';
import { probe, type Mutant } from '@nccl-ts/mutation';
import type { SubjectForm } from './subject.ts';
import { swapKernel } from './swap-kernel.ts';
import { tryOnce, type Complaint, type Trial } from './trial.ts';

/** Runs forms of a program with other modules instead of one of its kernels. */
export class KernelRuns {
  readonly #forms: readonly SubjectForm[];
  readonly #kernel: ValidatedModule;
  readonly #trials: readonly Trial[];
  /** For each source location: true if the program reaches it. */
  readonly #reached = new Map<string, boolean>();

  constructor(forms: readonly SubjectForm[], kernel: ValidatedModule, trials: readonly Trial[]) {
    this.#forms = forms;
    this.#kernel = kernel;
    this.#trials = trials;
  }

  /**
   * Returns the first error of a mutant. If there is none, returns if the program runs the changed
   * code at all.
   */
  async complaintOf(mutant: Mutant): Promise<Complaint | 'unreached' | undefined> {
    const [first, ...others] = this.#trials;
    const complaint = first === undefined ? undefined : await this.#firstOf(mutant.module, [first]);
    if (complaint !== undefined) return complaint;
    if (!(await this.reaches(mutant))) return 'unreached';
    return this.#firstOf(mutant.module, others);
  }

  /** True if the program runs the changed code of a mutant in any trial. */
  async reaches(mutant: Mutant): Promise<boolean> {
    const place = mutant.id.slice(0, mutant.id.indexOf(':'));
    const known = this.#reached.get(place);
    if (known !== undefined) return known;
    const trap = probe(this.#kernel, mutant);
    const reached = trap === undefined || (await this.#firstOf(trap, this.#trials)) !== undefined;
    this.#reached.set(place, reached);
    return reached;
  }

  async #firstOf(module: ValidatedModule, trials: readonly Trial[]): Promise<Complaint | undefined> {
    for (const trial of trials) {
      for (const form of this.#forms) {
        const complaint = await tryOnce(form, trial, (backend) => swapKernel(backend, this.#kernel, module));
        if (complaint !== undefined) return complaint;
      }
    }
    return undefined;
  }
}
