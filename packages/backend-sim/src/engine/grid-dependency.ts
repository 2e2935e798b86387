import type { Network } from '../network/network.ts';
import { type Caller, type GridDependencyPort, ctaIndex } from '@nccl-ts/codegen';
import type { SimLaunch } from './launch.ts';

/** A launch's relation to the previous and next launches on its stream. */
export class GridDependency implements GridDependencyPort {
  readonly #launch: SimLaunch;
  readonly #network: Network;
  readonly #onTrigger: () => void;

  constructor(launch: SimLaunch, network: Network, onTrigger: () => void) {
    this.#launch = launch;
    this.#network = network;
    this.#onTrigger = onTrigger;
  }

  isOver(): boolean {
    return this.#launch.isAfter;
  }

  acquire({ thread, watch }: Caller): void {
    this.#network.acquireAll(this.#launch.rank);
    watch?.afterDependency(thread);
  }

  trigger({ cta }: Caller): void {
    this.#launch.trigger(ctaIndex(cta));
    this.#onTrigger();
  }
}
