import type { CtaIdentity } from '@nccl-ts/transport';
import { join, spawn, type AgentProgram } from '@nccl-ts/memory-model';
import { ctaIndex } from '../engine/cta-identity.ts';
import type { Steps } from './steps.ts';

/** A launch's relation to the previous and next ones on its stream. */
export class GridDependency {
  readonly #previous: number | undefined;
  /** Makes an agent without effects, whose end shows that a CTA has let the next launch begin. */
  readonly #trigger: (cta: number) => AgentProgram;
  /** By CTA that has triggered: that agent. */
  readonly #triggered = new Map<number, number>();

  /** `previous`: the agent of the launch that this one can wait for, if there is one. */
  constructor(previous: number | undefined, trigger: (cta: number) => AgentProgram) {
    this.#previous = previous;
    this.#trigger = trigger;
  }

  /** The agent whose end shows that a CTA has let the next launch begin. */
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
