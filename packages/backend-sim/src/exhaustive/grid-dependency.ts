import type { CtaIdentity } from '@nccl-ts/transport';
import { join, spawn, type AgentProgram } from '@nccl-ts/memory-model';
import { ctaIndex } from '../engine/cta-identity.ts';
import type { Steps } from './steps.ts';

/** What a launch has to do with the launches before and behind it on its stream. */
export class GridDependency {
  readonly #previous: number | undefined;
  /** Makes an agent that does nothing: it says by its end that a CTA has let the next launch begin. */
  readonly #trigger: (cta: number) => AgentProgram;
  /** By CTA, as soon as it has: that agent. */
  readonly #triggered = new Map<number, number>();

  /** `previous`: the agent of the launch that this one can wait for, if there is one. */
  constructor(previous: number | undefined, trigger: (cta: number) => AgentProgram) {
    this.#previous = previous;
    this.#trigger = trigger;
  }

  /** The agent that says that a CTA has let the next launch begin. */
  triggerOf(cta: number): number | undefined {
    return this.#triggered.get(cta);
  }

  *wait(): Steps<void> {
    if (this.#previous !== undefined) yield* join([this.#previous], 'gridDependencySync');
  }

  *trigger(cta: CtaIdentity): Steps<void> {
    const index = ctaIndex(cta);
    if (this.#triggered.has(index)) return;
    const [agent] = yield* spawn([this.#trigger(index)]);
    if (agent !== undefined) this.#triggered.set(index, agent);
  }
}
