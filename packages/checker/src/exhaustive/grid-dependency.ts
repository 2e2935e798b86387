import type { CtaIdentity } from '@nccl-ts/transport';
import { join, spawn, type AgentProgram } from '@nccl-ts/memory-model';
import { ctaIndex } from '@nccl-ts/codegen';
import type { Steps } from './steps.ts';

/** A launch's relation to the previous and next launches on its stream. */
export class GridDependency {
  readonly #previous: number | undefined;
  /** Makes an agent without effects. Its end shows that a CTA lets the next launch begin. */
  readonly #trigger: (cta: number) => AgentProgram;
  /** That agent, by CTA that has triggered. */
  readonly #triggered = new Map<number, number>();
  /** The agents that have waited. */
  readonly #waited = new Set<number>();

  /** `previous` is the agent of the launch that this one can wait for, if there is one. */
  constructor(previous: number | undefined, trigger: (cta: number) => AgentProgram) {
    this.#previous = previous;
    this.#trigger = trigger;
  }

  /** Returns the agent whose end shows that a CTA lets the next launch begin. */
  triggerOf(cta: number): number | undefined {
    return this.#triggered.get(cta);
  }

  /** Lets agent `self` wait until the previous launch has ended. */
  *wait(self: number): Steps<void> {
    if (this.#previous === undefined) return;
    yield* join([this.#previous], 'gridDependencySync');
    this.#waited.add(self);
  }

  /**
   * The launch that has ended for agent `self`, because it has waited for it. Like the start of a
   * kernel, the wait orders the launch before what the agent stores with an order later. It orders
   * nothing of the agent's own.
   */
  endedFor(self: number): readonly number[] {
    return this.#previous !== undefined && this.#waited.has(self) ? [this.#previous] : [];
  }

  *trigger(cta: CtaIdentity): Steps<void> {
    const index = ctaIndex(cta);
    if (this.#triggered.has(index)) return;
    const [agent] = yield* spawn([this.#trigger(index)]);
    if (agent !== undefined) this.#triggered.set(index, agent);
  }
}
