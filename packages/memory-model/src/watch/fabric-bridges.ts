import type { ProxyPair } from '../fabric-pair.ts';
import { Clock, type Who } from './clock.ts';

/**
 * By pair of proxies: the events before a release, and those of them before a later acquire.
 * Accesses through the consumer may follow only the latter. NCCL's headers do not say that both the
 * release and the acquire are needed. This is the weaker reading.
 */
export class FabricBridges {
  readonly #released = new Map<ProxyPair, Clock>();
  readonly #acquired = new Map<ProxyPair, Clock>();
  /** A shared object must not change. */
  shared = false;

  clone(): FabricBridges {
    const copy = new FabricBridges();
    copy.join(this);
    return copy;
  }

  join(other: FabricBridges): void {
    joinEach(this.#released, other.#released, other.shared);
    joinEach(this.#acquired, other.#acquired, other.shared);
  }

  /** `add` joins the events before the release into a clock. */
  releases(pair: ProxyPair, add: (clock: Clock) => void): void {
    add(clockOf(this.#released, pair));
  }

  acquires(pair: ProxyPair): void {
    const released = this.#released.get(pair);
    if (released !== undefined) clockOf(this.#acquired, pair).join(released);
  }

  covers(pair: ProxyPair, who: Who, stamp: number): boolean {
    return this.#acquired.get(pair)?.covers(who, stamp) === true;
  }
}

type Clocks = Map<ProxyPair, Clock>;

function clockOf(clocks: Clocks, pair: ProxyPair): Clock {
  const known = clocks.get(pair) ?? new Clock(0);
  clocks.set(pair, known);
  return known;
}

/**
 * If `isFinal`, the clocks of `from` no longer change, so that their entries need not be copied.
 */
function joinEach(into: Clocks, from: ReadonlyMap<ProxyPair, Clock>, isFinal: boolean): void {
  for (const [pair, clock] of from) {
    clock.shared ||= isFinal;
    clockOf(into, pair).join(clock);
  }
}
