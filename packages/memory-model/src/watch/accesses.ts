import { includes, PLAIN, widthOf, type Place } from '../scope.ts';
import { agentOf, threadOf } from './clock.ts';
import { WHOLE_WORD, type EpochId, type Epochs } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import { LIST, PAGE_WORDS, type Shadow } from './shadow.ts';

/** What the check of an access must know of places in kernels. */
export interface SiteTable {
  /** By site: how far its scope reaches; 0 for plain accesses. */
  readonly widths: Uint8Array;
  readonly bytes: Uint8Array;
  /** 1 where it goes through a multicast address. */
  readonly multicast: Uint8Array;
  /** Whether any does. */
  readonly mixes: boolean;
}

/** Told of what is wrong with an access of `thread` now. */
export interface AccessListener {
  raced(group: GroupClocks, thread: number, site: number, before: EpochId, shadow: Shadow, address: number): void;
  unwritten(group: GroupClocks, thread: number, site: number, shadow: Shadow, address: number): void;
  mixed(group: GroupClocks, thread: number, site: number, before: EpochId, shadow: Shadow, address: number): void;
}

/** Where an agent stands, for scopes. */
export type PlaceOf = (agent: number) => Omit<Place, 'thread'>;

/**
 * Checks each access against what was done to the same bytes before, and writes it down. Constant time where accesses are
 * ordered, which is nearly always: one comparison for each cell.
 *
 * A plain write takes the place of all that is ordered before it. A strong one leaves plain accesses before it standing
 * beside it: what comes later may race with those and not with it.
 */
export class Accesses {
  /** Accesses that were checked. */
  count = 0;
  readonly #epochs: Epochs;
  readonly #sites: SiteTable;
  readonly #listener: AccessListener;
  readonly #placeOf: PlaceOf;

  constructor(epochs: Epochs, sites: SiteTable, listener: AccessListener, placeOf: PlaceOf) {
    this.#epochs = epochs;
    this.#sites = sites;
    this.#listener = listener;
    this.#placeOf = placeOf;
  }

  read(group: GroupClocks, thread: number, shadow: Shadow, address: number, bytes: number, site: number): void {
    this.count++;
    let word = address >>> 2;
    const end = (address + bytes - 1) >>> 2;
    const mask = bytes >= 4 ? WHOLE_WORD : ((1 << bytes) - 1) << (address & 3);
    const id = group.id(thread, site, mask);
    const { who, stamp, mask: masks } = this.#epochs;
    const me = group.selfBase + thread;
    for (; word <= end; word++) {
      const { writes, reads } = shadow.page((word / PAGE_WORDS) | 0);
      const k = word % PAGE_WORDS;
      const write = writes[k] ?? 0;
      const read = reads[k] ?? 0;
      if (write === 0) this.#listener.unwritten(group, thread, site, shadow, word * 4);
      else if (write >= LIST) this.#compare(group, thread, site, shadow, word, shadow.epochs(write), mask);
      else if (who[write] !== me && (stamp[write] ?? 0) >= (group.base.whole[agentOf(who[write] ?? 0)] ?? 0)) {
        if (!group.isAfter(thread, who[write] ?? 0, stamp[write] ?? 0))
          this.#check(group, thread, site, shadow, word, write, mask);
      }
      if (this.#sites.mixes) this.#mix(group, thread, site, shadow, word, shadow.epochs(write), mask);
      if (read === id) continue;
      if (read === 0) reads[k] = id;
      else if (
        read < LIST &&
        who[read] === me &&
        (masks[read] ?? 0) === mask &&
        this.#isPlain(read) &&
        this.#isPlain(id)
      )
        reads[k] = id;
      else reads[k] = this.#addRead(group, thread, shadow, read, id);
    }
  }

  write(
    group: GroupClocks,
    thread: number,
    shadow: Shadow,
    address: number,
    bytes: number,
    site: number,
    given = 0,
  ): void {
    this.count++;
    let word = address >>> 2;
    const end = (address + bytes - 1) >>> 2;
    const mask = bytes >= 4 ? WHOLE_WORD : ((1 << bytes) - 1) << (address & 3);
    const id = given === 0 ? group.id(thread, site, mask) : given;
    const { who, stamp } = this.#epochs;
    const me = group.selfBase + thread;
    const simple = mask === WHOLE_WORD && this.#sites.widths[group.siteBase + site] === PLAIN && !this.#sites.mixes;
    for (; word <= end; word++) {
      const { writes, reads } = shadow.page((word / PAGE_WORDS) | 0);
      const k = word % PAGE_WORDS;
      const write = writes[k] ?? 0;
      const read = reads[k] ?? 0;
      if (simple) {
        if (
          (write === 0 ||
            write === id ||
            (write < LIST &&
              (who[write] === me || (stamp[write] ?? 0) < (group.base.whole[agentOf(who[write] ?? 0)] ?? 0)))) &&
          (read === 0 ||
            (read < LIST &&
              (who[read] === me || (stamp[read] ?? 0) < (group.base.whole[agentOf(who[read] ?? 0)] ?? 0))))
        ) {
          writes[k] = id;
          reads[k] = 0;
          continue;
        }
      }
      const writers = shadow.epochs(write);
      const readers = shadow.epochs(read);
      this.#compare(group, thread, site, shadow, word, writers, mask);
      this.#compare(group, thread, site, shadow, word, readers, mask);
      if (this.#sites.mixes) this.#mix(group, thread, site, shadow, word, [...writers, ...readers], mask);
      writes[k] = shadow.cell(write, [...this.#kept(group, thread, writers, id, mask), id]);
      reads[k] = shadow.cell(read, this.#kept(group, thread, readers, id, mask));
    }
  }

  /** Accesses to other bytes, and those that what comes later may still race with. */
  #kept(group: GroupClocks, thread: number, before: readonly EpochId[], id: EpochId, mask: number): EpochId[] {
    const { who, stamp, mask: masks, site } = this.#epochs;
    const width = this.#sites.widths[site[id] ?? 0] ?? 0;
    return before.filter((one) => {
      const other = masks[one] ?? 0;
      if ((other & ~mask) !== 0) return true;
      if (!group.isAfter(thread, who[one] ?? 0, stamp[one] ?? 0)) return width !== PLAIN;
      // What is ordered after this write is ordered after `one`. What is not races with this write, unless both are strong.
      return width !== PLAIN && this.#isWeaker(one, id);
    });
  }

  /** Whether something could race with `before` and not with `id`. */
  #isWeaker(before: EpochId, id: EpochId): boolean {
    const { widths, bytes } = this.#sites;
    const { site } = this.#epochs;
    const a = site[before] ?? 0;
    const b = site[id] ?? 0;
    return (widths[a] ?? 0) < (widths[b] ?? 0) || bytes[a] !== bytes[b];
  }

  #isPlain(id: EpochId): boolean {
    return this.#sites.widths[this.#epochs.site[id] ?? 0] === PLAIN;
  }

  /** Adds a read to a cell. What is of no more use goes whenever the cell has doubled, so that adding is cheap on the whole. */
  #addRead(group: GroupClocks, thread: number, shadow: Shadow, cell: number, id: EpochId): number {
    const known = shadow.epochs(cell);
    if (cell >= LIST && (known.length & (known.length - 1)) !== 0) return shadow.push(cell, id);
    const { who, stamp, mask } = this.#epochs;
    const me = group.whoBase + thread;
    const kept = known.filter((one) => {
      if (one === id) return false;
      if (((mask[one] ?? 0) & ~(mask[id] ?? 0)) !== 0 || this.#isWeaker(one, id)) return true;
      return who[one] !== me && !group.isAfter(thread, who[one] ?? 0, stamp[one] ?? 0);
    });
    return shadow.cell(cell, [...kept, id]);
  }

  #compare(
    group: GroupClocks,
    thread: number,
    site: number,
    shadow: Shadow,
    word: number,
    before: readonly EpochId[],
    mask: number,
  ): void {
    const { who, stamp } = this.#epochs;
    for (const one of before) {
      if (!group.isAfter(thread, who[one] ?? 0, stamp[one] ?? 0))
        this.#check(group, thread, site, shadow, word, one, mask);
    }
  }

  /** Looks for accesses before this one that went another way, with no proxy fence on the way from there to here. */
  #mix(
    group: GroupClocks,
    thread: number,
    site: number,
    shadow: Shadow,
    word: number,
    before: readonly EpochId[],
    mask: number,
  ): void {
    const { who, stamp, mask: masks, site: sites } = this.#epochs;
    const way = this.#sites.multicast[group.siteBase + site];
    for (const one of before) {
      const isOther = this.#sites.multicast[sites[one] ?? 0] !== way && sites[one] !== 0;
      // Strong accesses cohere, whichever way they go.
      if (!isOther || ((masks[one] ?? 0) & mask) === 0 || this.#areStrong(group, thread, site, one)) continue;
      if (group.bridged?.covers(who[one] ?? 0, stamp[one] ?? 0) === true) continue;
      // What is not ordered at all is a race, and told as that.
      if (group.isAfter(thread, who[one] ?? 0, stamp[one] ?? 0)) {
        this.#listener.mixed(group, thread, site, one, shadow, word * 4);
      }
    }
  }

  /** Two accesses that nothing orders, of which one is a write. */
  #check(
    group: GroupClocks,
    thread: number,
    site: number,
    shadow: Shadow,
    word: number,
    before: EpochId,
    mask: number,
  ): void {
    if (((this.#epochs.mask[before] ?? 0) & mask) === 0) return;
    if (!this.#areStrong(group, thread, site, before))
      this.#listener.raced(group, thread, site, before, shadow, word * 4);
  }

  /** Whether both are strong, of one size, and in each other's scope. */
  #areStrong(group: GroupClocks, thread: number, site: number, before: EpochId): boolean {
    const { widths, bytes } = this.#sites;
    const there = this.#epochs.site[before] ?? 0;
    const here = group.siteBase + site;
    const a = widths[here] ?? 0;
    const b = widths[there] ?? 0;
    if (a === PLAIN || b === PLAIN || bytes[here] !== bytes[there]) return false;
    const who = this.#epochs.who[before] ?? 0;
    const other: Place = { ...this.#placeOf(agentOf(who)), thread: threadOf(who) };
    const me = group.place(thread);
    return includes(widthOf(a), me, other) && includes(widthOf(b), other, me);
  }
}
