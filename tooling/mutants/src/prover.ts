import { check } from '@nccl-ts/backend-sim';
import { isNcclError } from '@nccl-ts/core';
import type { ValidatedModule } from '@nccl-ts/ir';
import type { Mutant } from '@nccl-ts/mutation';
import type { Equivalence } from './outcome.ts';
import type { Subject } from './subject.ts';
import { swapKernel } from './swap-kernel.ts';
import { FUEL } from './trial.ts';

const WARP = 32;

/** What a stronger mutation of one place has that a weaker one has not: what holds with the first holds with the second. */
const stronger: Readonly<Partial<Record<Mutant['operator'], readonly Mutant['operator'][]>>> = {
  'sync-narrowed': ['sync-removed'],
  'scope-narrowed': ['fence-removed', 'access-plain'],
  'order-weakened': ['fence-removed', 'access-plain'],
  'wait-one-less': ['wait-removed'],
};

/** Says of survivors of one kernel why they are no worse than it, where that can be shown. */
export class Prover {
  readonly #subject: Subject;
  readonly #module: ValidatedModule;
  readonly #runs: number;
  readonly #shown = new Map<string, Equivalence>();

  constructor(subject: Subject, module: ValidatedModule, runs: number) {
    this.#subject = subject;
    this.#module = module;
    this.#runs = runs;
  }

  /** `all` are the mutants of the kernel. */
  async equivalenceOf(mutant: Mutant, all: readonly Mutant[], blockThreads: number): Promise<Equivalence> {
    const { operator, id } = mutant;
    if (operator === 'order-weakened' && isFence(id) && !id.endsWith(':acq_rel')) return { kind: 'same fence' };
    if (operator === 'sync-narrowed' && blockThreads <= WARP) return { kind: 'one warp' };
    const place = id.slice(0, id.indexOf(':'));
    const more = all.find(
      (other) => other.id.startsWith(`${place}:`) && (stronger[operator] ?? []).includes(other.operator),
    );
    if (more !== undefined) {
      const shown = await this.#exhaustive(more);
      if (shown.kind === 'exhaustive') return { kind: 'less than', of: more.id };
    }
    return this.#exhaustive(mutant);
  }

  async #exhaustive(mutant: Mutant): Promise<Equivalence> {
    const known = this.#shown.get(mutant.id);
    if (known !== undefined) return known;
    const shown = await this.#explore(mutant);
    this.#shown.set(mutant.id, shown);
    return shown;
  }

  async #explore(mutant: Mutant): Promise<Equivalence> {
    if (this.#runs === 0) return { kind: 'unproven', why: 'no proof was tried' };
    const { run, shape } = this.#subject.tiny ?? this.#subject;
    let isRight = true;
    try {
      const { verdict, proves } = await check(
        { ...shape, multimem: true, fuel: FUEL, strategy: 'exhaustive', bound: this.#runs },
        async (backend) => {
          isRight &&= await run(swapKernel(backend, this.#module, mutant.module), async () => undefined);
        },
      );
      if (verdict !== 'clean' && verdict !== 'incomplete') return { kind: 'wrong', by: verdict };
      if (!isRight) return { kind: 'wrong', by: 'wrong-result' };
      if (proves.kind === 'all schedules') return { kind: 'exhaustive', shape, schedules: proves.count };
      return {
        kind: 'unproven',
        why: proves.kind === 'nothing' ? proves.bound : 'not all schedules were gone through',
      };
    } catch (error) {
      if (isNcclError(error, 'NCCLTS_NOT_SUPPORTED')) return { kind: 'unproven', why: 'there is no exhaustive check' };
      return { kind: 'wrong', by: isNcclError(error) ? error.code : 'wrong-result' };
    }
  }
}

function isFence(id: string): boolean {
  return /(?:^|\/)fence#\d+:/.test(id);
}
