import type { Epochs } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { HappensBefore } from './happens-before.ts';
import { numberAt } from './number-at.ts';

/** Fewer epochs than that are not worth looking for. */
const FEW = 65_536;

/**
 * Lets epochs be used again that nobody holds: each launch makes new ones, and what it did to words
 * that were accessed since is over. Looks for them when their number has doubled, so that it costs
 * little on the whole.
 */
export class EpochSweep {
  readonly #order: HappensBefore;
  readonly #few: number;
  #held: number;

  /** `few`: how many there are at least before it looks. */
  constructor(order: HappensBefore, few: number = FEW) {
    this.#order = order;
    this.#few = few;
    this.#held = 0;
  }

  /**
   * Looks, if it is time. No group may be open then but `groups`, which have read nothing strongly.
   * Does nothing where somebody counts whether there are other runs: that account has epochs too.
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
    // What was there from the beginning is put wherever memory is given.
    for (const id of ofNobody(epochs)) hold(id);
    for (const group of groups) group.forgetIds();
    epochs.keep(held);
  }
}

/** Epochs of agent 0, which is before everybody. */
function ofNobody({ count, who }: Epochs): readonly number[] {
  const found: number[] = [];
  for (let id = 1; id < count; id++) if (numberAt(who, id) === 0) found.push(id);
  return found;
}
