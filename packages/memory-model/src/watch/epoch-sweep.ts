import type { Epochs } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { HappensBefore } from './happens-before.ts';
import { numberAt } from './number-at.ts';

/** The fewest epochs for which a search is worthwhile. */
const FEW = 65_536;

/**
 * Makes unused epochs available again. Each launch makes new epochs, and those of overwritten words
 * are no longer needed. The sweep runs whenever the number of epochs has doubled, so its average
 * cost is low.
 */
export class EpochSweep {
  readonly #order: HappensBefore;
  readonly #few: number;
  #held: number;

  /** `few` is the minimum number of epochs before a search. */
  constructor(order: HappensBefore, few: number = FEW) {
    this.#order = order;
    this.#few = few;
    this.#held = 0;
  }

  /**
   * Searches for unused epochs if their number has grown enough. Only `groups` may be open then,
   * and they must have no strong reads. Does nothing with `determinacy`, which also holds epochs.
   */
  rest(groups: readonly GroupClocks[]): void {
    const { epochs, shadow, determinacy } = this.#order;
    const used = epochs.count - epochs.free;
    if (determinacy !== undefined || used < Math.max(this.#few, 2 * this.#held)) return;
    const held = new Uint8Array(epochs.count);
    this.#held = 0;
    const hold = (id: number): void => {
      if (held[id] === 1) return;
      held[id] = 1;
      this.#held++;
    };
    shadow.eachEpoch(hold);
    this.#order.eachWordEpoch(hold);
    // The epochs of initial contents are stored wherever memory is allocated.
    for (const id of ofNobody(epochs)) hold(id);
    for (const group of groups) group.forgetIds();
    epochs.keep(held);
  }
}

/** The epochs of agent 0, which precedes every other agent. */
function ofNobody({ count, who }: Epochs): readonly number[] {
  const found: number[] = [];
  for (let id = 1; id < count; id++) if (numberAt(who, id) === 0) found.push(id);
  return found;
}
