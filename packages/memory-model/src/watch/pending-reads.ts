import type { ThreadCoordinates, ScopeWidth } from '../scope.ts';
import { Clock } from './clock.ts';
import type { Snapshot } from './snapshot.ts';
import { FabricBridges } from './fabric-bridges.ts';
import { newest, type Published } from './published.ts';

/** A strong write that a thread has read without acquiring it. A later fence may acquire it. */
interface UnacquiredWrite {
  readonly address: number;
  readonly published: readonly Published[];
}

/** The number of words that are remembered one by one. */
const MOST = 32;

/**
 * The strong writes that one thread has read relaxed and not acquired. Recent words are kept one by
 * one. Older writes are merged if threads of one CTA have published them in the same scope. A fence
 * acquires them all, so they need no lookup by word.
 */
export class PendingReads {
  #words: UnacquiredWrite[] = [];
  #folded: Folded[] = [];

  add(address: number, published: readonly Published[]): void {
    const index = this.#words.findIndex((one) => one.address === address);
    const [known] = index === -1 ? [] : this.#words.splice(index, 1);
    this.#words.push({ address, published: newest(published, known?.published ?? []) });
    if (this.#words.length > MOST) this.#foldOldest();
  }

  /**
   * Passes the writes read, or those read at `address`, to `takes`; those for which it returns true
   * are removed.
   */
  claim(takes: (published: Published) => boolean, address?: number): void {
    // The published clocks of a word are passed as a whole, even if only some of them are acquired.
    const keeps = ({ published }: UnacquiredWrite): boolean => published.filter((one) => !takes(one)).length > 0;
    this.#words = this.#words.filter((one) => (address !== undefined && one.address !== address) || keeps(one));
    if (address === undefined) this.#folded = this.#folded.filter((one) => !takes(one));
  }

  #foldOldest(): void {
    // A thread settles with the network word by word.
    const index = this.#words.findIndex(({ published }) => published.every(({ got }) => got === undefined));
    const [oldest] = index === -1 ? [] : this.#words.splice(index, 1);
    for (const one of oldest?.published ?? []) this.#fold(one);
  }

  #fold(published: Published): void {
    const { width, by } = published;
    const known = this.#folded.find((one) => one.width === width && isAlike(one, width, by));
    if (known !== undefined) known.add(published.snapshot);
    else this.#folded.push(new Folded(published));
  }
}

/** Merges several published clocks. Most have published the same clocks, which are joined once. */
class Folded implements Published {
  readonly snapshot: Snapshot;
  readonly width: ScopeWidth;
  readonly by: ThreadCoordinates;
  readonly #base = new Clock(0);
  readonly #bridged = new Clock(0);
  readonly #fabric = new FabricBridges();
  readonly #known = new Set<Clock | FabricBridges>();

  constructor({ snapshot, width, by }: Published) {
    this.width = width;
    this.by = by;
    const fences = { bridged: this.#bridged, fabric: this.#fabric };
    this.snapshot = { base: this.#base, extra: undefined, who: snapshot.who, bound: 0, ...fences };
    this.add(snapshot);
  }

  add({ base, extra, who, bound, bridged, fabric }: Snapshot): void {
    this.#join(this.#base, base);
    if (extra !== undefined) this.#join(this.#base, extra);
    if (bridged !== undefined) this.#join(this.#bridged, bridged);
    if (fabric !== undefined) this.#join(this.#fabric, fabric);
    this.#base.raisePart(who, bound);
  }

  #join<T extends Clock | FabricBridges>(own: { join(other: T): void }, other: T): void {
    // A shared clock no longer changes.
    if (other.shared && this.#known.has(other)) return;
    own.join(other);
    this.#known.add(other);
  }
}

/** True if a scope of `width` includes the same threads around both. */
function isAlike({ by }: Published, width: Published['width'], { cta, thread }: ThreadCoordinates): boolean {
  return by.cta === cta && (width > 1 || by.thread === thread);
}
