import type { CtaIdentity } from '@nccl-ts/transport';
import { type KernelProgram, ctaIdentity } from '@nccl-ts/codegen';
import { LaunchWords } from './launch-words.ts';
import type { LaunchOrder } from './messages.ts';

/** A launch as seen by one of the threads that run its CTAs. */
export class WorkerLaunch {
  readonly id: number;
  readonly rank: number;
  readonly ctas: number;
  readonly words: LaunchWords;
  readonly #order: LaunchOrder;
  readonly #bind: () => KernelProgram;
  #program: KernelProgram | undefined;

  constructor(order: LaunchOrder, bind: (launch: WorkerLaunch) => KernelProgram) {
    this.id = order.id;
    this.rank = order.rank;
    this.ctas = order.ctas;
    this.words = new LaunchWords(order.words);
    this.#order = order;
    this.#bind = () => bind(this);
  }

  /** Returns the program. It is bound when the first CTA starts here. */
  get program(): KernelProgram {
    this.#program ??= this.#bind();
    return this.#program;
  }

  identity(index: number): CtaIdentity {
    return ctaIdentity(this.#order, index);
  }
}
