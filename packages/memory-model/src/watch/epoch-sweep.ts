import type { Epochs } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { HappensBefore } from './happens-before.ts';
import { numberAt } from './number-at.ts';

/** Fewer epochs than this are not worth a search. */
const FEW = 65_536;

/**
 * Makes unused epochs available again: each launch makes new ones, and those of words that were
 * accessed later are no longer needed. Searches whenever their number has doubled, so the average
 * cost is low.
 */
export class EpochSweep {
  readonly #order: HappensBefore;
  readonly #few: number;
  #held: number;

  /** `few`: the minimum number of epochs before a search. */
  constructor(order: HappensBefore, few: number = FEW) {
    this.#order = order;
    this.#few = few;
    this.#held = 0;
  }

  /**
   * Searches for unused epochs if it is time. Only `groups` may be open then, without any strong
   * read. Does nothing with `determinacy`: the account holds epochs too.
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
    // Epochs of the beginning are stored wherever memory is allocated.
    for (const id of ofNobody(epochs)) hold(id);
    for (const group of groups) group.forgetIds();
    epochs.keep(held);
  }
}

/** Epochs of agent 0, which is before every other. */
function ofNobody({ count, who }: Epochs): readonly number[] {
  const found: number[] = [];
  for (let id = 1; id < count; id++) if (numberAt(who, id) === 0) found.push(id);
  return found;
}
