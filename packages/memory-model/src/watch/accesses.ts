import { includes, PLAIN, widthOf, type ThreadCoordinates } from '../scope.ts';
import type { Agent } from './agent.ts';
import { agentOf, threadOf, type Clock } from './clock.ts';
import { maskOf, WHOLE_WORD, type EpochId, type Epochs } from './epochs.ts';
import { fabricPair, type ProxyPair } from '../fabric-pair.ts';
import type { GroupClocks } from './group-clocks.ts';
import { byteAt, numberAt } from './number-at.ts';
import { LIST, PAGE_WORDS, pieces, type Shadow } from './shadow.ts';
import type { IsBefore, WordHistory } from './word-history.ts';
import { KEPT, STORES, thinned } from './thinned.ts';

/** The properties of source locations that the check of an access needs. */
export interface SiteTable {
  /** By site: the width of its scope, or 0 for plain accesses. */
  readonly widths: Uint8Array;
  readonly bytes: Uint8Array;
  /** By site: 1 for an access through a multicast address. */
  readonly multicast: Uint8Array;
  /** 1 for a reduction of the fabric. */
  readonly fabric: Uint8Array;
  /** True if any site does. */
  readonly mixes: boolean;
}

/** Receives the problems of an access of `thread`. */
export interface AccessListener {
  raced(group: GroupClocks, thread: number, site: number, before: EpochId, shadow: Shadow, address: number): void;
  unwritten(group: GroupClocks, thread: number, site: number, shadow: Shadow, address: number): void;
  mixed(group: GroupClocks, thread: number, site: number, before: EpochId, shadow: Shadow, address: number): void;
  /** Called if racing plain stores, which may all write one value, were too many to keep. */
  droppedStores(): void;
}

/** The kind of an agent, and its position, for scopes. */
export type PlaceOf = (agent: number) => Omit<ThreadCoordinates, 'thread'> & Pick<Agent, 'kind' | 'firstThread' | 'of'>;

/**
 * Checks each access against earlier accesses to the same bytes, and records it. If accesses are
 * ordered, as nearly always, this takes one comparison for each cell.
 *
 * A plain write replaces every access that is ordered before it. A strong write does not replace
 * earlier plain accesses, because a later access may race with those and not with the strong write.
 */
export class Accesses {
  /** The number of accesses checked. */
  count = 0;
  /**
   * The most racing accesses to a word that are all kept. If there are more, only those that may
   * reveal other pairs of source locations are kept.
   */
  retained: number = KEPT;
  /** True if there are bulk copies or operations of the fabric, which use other proxies. */
  crosses = false;
  /** The memory that the fabric accesses through its own proxy. */
  heap: Shadow | undefined;
  /** Receives all accesses. */
  history: WordHistory | undefined;
  readonly #epochs: Epochs;
  readonly #sites: SiteTable;
  readonly #listener: AccessListener;
  readonly #coordinatesOf: PlaceOf;

  constructor(epochs: Epochs, sites: SiteTable, listener: AccessListener, placeOf: PlaceOf) {
    this.#epochs = epochs;
    this.#sites = sites;
    this.#listener = listener;
    this.#coordinatesOf = placeOf;
  }

  read(group: GroupClocks, thread: number, shadow: Shadow, address: number, bytes: number, site: number): void {
    this.count++;
    let word = address >>> 2;
    const end = (address + bytes - 1) >>> 2;
    const mask = maskOf(address, bytes);
    const id = group.id(thread, site, mask);
    if (this.history !== undefined) this.#remember(group, thread, shadow, address, bytes, site, false);
    const { who, stamp, mask: masks } = this.#epochs;
    const me = group.selfBase + thread;
    const mixes = this.#sites.mixes || this.crosses;
    // A host reads many words at once, and nearly all of them were written in the same way.
    let known = 0;
    while (word <= end) {
      const cells = shadow.page((word / PAGE_WORDS) | 0);
      const last = Math.min(end, word | (PAGE_WORDS - 1));
      for (; word <= last; word++) {
        const k = 2 * (word % PAGE_WORDS);
        const write = numberAt(cells, k);
        const read = numberAt(cells, k + 1);
        let raced = false;
        if (write === 0) this.#listener.unwritten(group, thread, site, shadow, word * 4);
        else if (write >= LIST) {
          if (!this.#areWritten(shadow.epochs(write), mask))
            this.#listener.unwritten(group, thread, site, shadow, word * 4);
          raced = this.#compareAll(group, thread, site, shadow, word, write, mask);
        } else if (write !== known) {
          if ((byteAt(masks, write) & mask) !== mask) this.#listener.unwritten(group, thread, site, shadow, word * 4);
          const by = numberAt(who, write);
          const at = numberAt(stamp, write);
          if (isKnown(by, at, me, group.base) || group.isAfter(thread, by, at)) known = write;
          else raced = this.#check(group, thread, site, shadow, word, write, mask);
        }
        if (mixes) this.#mix(group, thread, site, shadow, word, shadow.epochs(write), mask);
        if (read === id) continue;
        if (read === 0) cells[k + 1] = id;
        else if (
          read < LIST &&
          who[read] === me &&
          byteAt(masks, read) === mask &&
          this.#isPlain(read) &&
          this.#isPlain(id)
        )
          cells[k + 1] = id;
        else cells[k + 1] = this.#addRead(group, thread, shadow, read, id, raced);
      }
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
    const mask = maskOf(address, bytes);
    const id = given === 0 ? group.id(thread, site, mask) : given;
    const { who, stamp } = this.#epochs;
    const me = group.selfBase + thread;
    const mixes = this.#sites.mixes || this.crosses;
    const simple = mask === WHOLE_WORD && this.#sites.widths[group.siteBase + site] === PLAIN && !mixes;
    const { firstWrites } = shadow;
    while (word <= end) {
      const cells = shadow.page((word / PAGE_WORDS) | 0);
      const last = Math.min(end, word | (PAGE_WORDS - 1));
      for (; word <= last; word++) {
        const k = 2 * (word % PAGE_WORDS);
        const write = numberAt(cells, k);
        const read = numberAt(cells, k + 1);
        if (write === 0) firstWrites?.set(word, id);
        if (simple) {
          if (
            (write === 0 ||
              write === id ||
              (write < LIST && isKnown(numberAt(who, write), numberAt(stamp, write), me, group.base))) &&
            (read === 0 || (read < LIST && isKnown(numberAt(who, read), numberAt(stamp, read), me, group.base)))
          ) {
            cells[k] = id;
            cells[k + 1] = 0;
            continue;
          }
        }
        const writers = shadow.epochs(write);
        const readers = shadow.epochs(read);
        const beside = this.#compare(group, thread, site, shadow, word, writers, mask);
        const raced = this.#compare(group, thread, site, shadow, word, readers, mask) || beside;
        if (mixes) this.#mix(group, thread, site, shadow, word, [...writers, ...readers], mask);
        const left = [...this.#retain(group, thread, writers, id, mask), id];
        const unread = this.#retain(group, thread, readers, id, mask);
        cells[k] = shadow.cell(write, raced ? this.#thinnedWrites(left) : left);
        cells[k + 1] = shadow.cell(read, raced ? thinned(unread, this.#epochs, this.retained) : unread);
      }
    }
    if (this.history !== undefined) this.#remember(group, thread, shadow, address, bytes, site, true);
  }

  /** Handles a read or write of all bytes in `[low, high)`, at any alignment. */
  readRange(group: GroupClocks, shadow: Shadow, low: number, high: number, site: number): void {
    pieces(low, high, (address, bytes) => this.read(group, 0, shadow, address, bytes, site));
  }

  writeRange(group: GroupClocks, shadow: Shadow, low: number, high: number, site: number): void {
    pieces(low, high, (address, bytes) => this.write(group, 0, shadow, address, bytes, site));
  }

  /**
   * The writes of these bytes that nothing orders before the next event of `thread`, and that are
   * not strong for an access of the site.
   */
  weakWrites(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number): readonly EpochId[] {
    const { who, stamp, mask: masks } = this.#epochs;
    const bytes = byteAt(this.#sites.bytes, group.siteBase + site);
    const mask = maskOf(address, bytes);
    const weak = new Set<EpochId>();
    for (let at = address; at < address + bytes; at += 4) {
      for (const one of shadow.writesAt(at)) {
        if ((byteAt(masks, one) & mask) === 0 || this.#areStrong(group, thread, site, one)) continue;
        if (!group.isAfter(thread, numberAt(who, one), numberAt(stamp, one))) weak.add(one);
      }
    }
    return [...weak];
  }

  #remember(
    group: GroupClocks,
    thread: number,
    shadow: Shadow,
    address: number,
    bytes: number,
    site: number,
    isWrite: boolean,
  ): void {
    const access = { who: group.whoBase + thread, stamp: group.stamp, site: group.siteBase + site };
    const isBefore: IsBefore = ({ who, stamp }) => group.isAfter(thread, who, stamp);
    this.history?.add(access, { shadow, address, bytes }, isWrite, isBefore);
  }

  /**
   * True if each of the bytes has one of these writes. A write of a byte only leaves a list for
   * another one of the same byte.
   */
  #areWritten(writes: readonly EpochId[], mask: number): boolean {
    let left = mask;
    for (const one of writes) left &= ~byteAt(this.#epochs.mask, one);
    return left === 0;
  }

  /** True if any of these words was written by an event that is not in `begin`. */
  wasWrittenSince(begin: Clock, shadow: Shadow, address: number, bytes: number): boolean {
    const { who, stamp } = this.#epochs;
    for (let at = address; at < address + bytes; at += 4) {
      const isSince = (one: EpochId): boolean => !begin.covers(numberAt(who, one), numberAt(stamp, one));
      if (shadow.writesAt(at).some(isSince)) return true;
    }
    return false;
  }

  /**
   * Keeps accesses to other bytes, and those that later accesses may still race with. An access
   * that races with this write is kept, because that race may be harmless, and the next may not be.
   */
  #retain(group: GroupClocks, thread: number, before: readonly EpochId[], id: EpochId, mask: number): EpochId[] {
    const { who, stamp, mask: masks, site } = this.#epochs;
    const width = byteAt(this.#sites.widths, numberAt(site, id));
    return before.filter((one) => {
      const other = byteAt(masks, one);
      if ((other & ~mask) !== 0) return true;
      if (!group.isAfter(thread, numberAt(who, one), numberAt(stamp, one))) return true;
      // Events ordered after this write are ordered after `one`. Others race with this write,
      // unless both are strong.
      return width !== PLAIN && this.#isWeaker(one, id);
    });
  }

  /** True if an access could race with `before` and not with `id`. */
  #isWeaker(before: EpochId, id: EpochId): boolean {
    const { widths, bytes } = this.#sites;
    const { site } = this.#epochs;
    const a = numberAt(site, before);
    const b = numberAt(site, id);
    return byteAt(widths, a) < byteAt(widths, b) || bytes[a] !== bytes[b];
  }

  /**
   * Plain stores may write one value, and then do not race with each other but with later accesses.
   */
  #thinnedWrites(writes: EpochId[]): EpochId[] {
    if (writes.length <= this.retained) return writes;
    if (!writes.every((id) => this.#isPlain(id))) return thinned(writes, this.#epochs, this.retained);
    if (writes.length <= STORES) return writes;
    this.#listener.droppedStores();
    return thinned(writes, this.#epochs, this.retained);
  }

  #isPlain(id: EpochId): boolean {
    return byteAt(this.#sites.widths, numberAt(this.#epochs.site, id)) === PLAIN;
  }

  /**
   * Adds a read to a cell. Whenever the cell has doubled, useless reads are dropped, so adding is
   * cheap on average.
   */
  #addRead(group: GroupClocks, thread: number, shadow: Shadow, cell: number, id: EpochId, raced: boolean): number {
    const known = shadow.epochs(cell);
    if (raced && known.length >= this.retained)
      return shadow.cell(cell, thinned([...known, id], this.#epochs, this.retained));
    if (cell >= LIST && (known.length & (known.length - 1)) !== 0) return shadow.push(cell, id);
    const { who, stamp, mask } = this.#epochs;
    const me = group.whoBase + thread;
    const kept = known.filter((one) => {
      if (one === id) return false;
      if ((byteAt(mask, one) & ~byteAt(mask, id)) !== 0 || this.#isWeaker(one, id)) return true;
      return who[one] !== me && !group.isAfter(thread, numberAt(who, one), numberAt(stamp, one));
    });
    return shadow.cell(cell, [...kept, id]);
  }

  /** The same for a cell that is a list of writes. If they race, the list is kept short. */
  #compareAll(
    group: GroupClocks,
    thread: number,
    site: number,
    shadow: Shadow,
    word: number,
    cell: number,
    mask: number,
  ): boolean {
    const known = shadow.epochs(cell);
    const raced = this.#compare(group, thread, site, shadow, word, known, mask);
    // A list of several epochs stays a list, so its cell does not change.
    if (raced && known.length > this.retained) shadow.cell(cell, this.#thinnedWrites([...known]));
    return raced;
  }

  /** True if any of `before` races with this access. */
  #compare(
    group: GroupClocks,
    thread: number,
    site: number,
    shadow: Shadow,
    word: number,
    before: readonly EpochId[],
    mask: number,
  ): boolean {
    const { who, stamp } = this.#epochs;
    let raced = false;
    for (const one of before) {
      if (group.isAfter(thread, numberAt(who, one), numberAt(stamp, one))) continue;
      raced = this.#check(group, thread, site, shadow, word, one, mask) || raced;
    }
    return raced;
  }

  /**
   * Reports earlier accesses through another proxy, if no proxy fence separates them from this one.
   */
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
    const multicast = this.#sites.multicast[group.siteBase + site];
    for (const one of before) {
      const by = numberAt(who, one);
      const pair = this.#pairOf(agentOf(by), group.agent, shadow);
      const isOther =
        (pair !== undefined ||
          this.#sites.multicast[numberAt(sites, one)] !== multicast ||
          this.#crosses(group.agent, agentOf(by))) &&
        sites[one] !== 0;
      // Strong accesses are coherent, whichever proxy they use.
      if (!isOther || (byteAt(masks, one) & mask) === 0 || this.#areStrong(group, thread, site, one)) continue;
      const isBridged =
        pair === undefined
          ? group.bridged?.covers(by, numberAt(stamp, one)) === true
          : group.isBridged(pair, by, numberAt(stamp, one));
      if (isBridged) continue;
      // Unordered accesses are a race, and are reported as such.
      if (group.isAfter(thread, numberAt(who, one), numberAt(stamp, one))) {
        this.#listener.mixed(group, thread, site, one, shadow, word * 4);
      }
    }
  }

  /**
   * True if one is a bulk copy and the other a thread. Hosts need no proxy fence, because the end
   * of a kernel is a fence of all proxies.
   */
  #crosses(one: number, other: number): boolean {
    if (!this.crosses) return false;
    const kinds = [this.#coordinatesOf(one).kind, this.#coordinatesOf(other).kind];
    const copies = kinds.some((kind) => kind === 'bulk' || kind === 'fabric');
    return copies && kinds.some((kind) => kind === 'cta' || kind === 'network');
  }

  /**
   * The proxies of two accesses to global memory, if the fabric makes at least one of them, or bulk
   * copies of two blocks make both.
   */
  #pairOf(producer: number, consumer: number, shadow: Shadow): ProxyPair | undefined {
    if (!this.crosses || shadow !== this.heap) return undefined;
    const [one, other] = [this.#coordinatesOf(producer), this.#coordinatesOf(consumer)];
    const [first, second] = [one.kind, other.kind];
    if (first === 'host' || second === 'host') return undefined;
    if (first === 'bulk' && second === 'bulk') return one.cta === other.cta ? undefined : 'async to async';
    return fabricPair(first === 'fabric' ? 'fabric' : 'generic', second === 'fabric' ? 'fabric' : 'generic');
  }

  /** Checks two accesses that nothing orders, of which one is a write, for a race. */
  #check(
    group: GroupClocks,
    thread: number,
    site: number,
    shadow: Shadow,
    word: number,
    before: EpochId,
    mask: number,
  ): boolean {
    if ((byteAt(this.#epochs.mask, before) & mask) === 0) return false;
    if (this.#areStrong(group, thread, site, before)) return false;
    this.#listener.raced(group, thread, site, before, shadow, word * 4);
    return true;
  }

  /** True if both are strong, of the same size, and in each other's scope. */
  #areStrong(group: GroupClocks, thread: number, site: number, before: EpochId): boolean {
    const { widths, bytes, fabric } = this.#sites;
    const there = numberAt(this.#epochs.site, before);
    const here = group.siteBase + site;
    const a = byteAt(widths, here);
    const b = byteAt(widths, there);
    if (a === PLAIN || b === PLAIN || bytes[here] !== bytes[there]) return false;
    if (fabric[here] !== fabric[there]) return false;
    const who = numberAt(this.#epochs.who, before);
    const { rank, cta, cluster, firstThread } = this.#coordinatesOf(agentOf(who));
    const other: ThreadCoordinates = { rank, cta, cluster, thread: firstThread + threadOf(who) };
    const me = group.coordinates(thread);
    return includes(widthOf(a), me, other) && includes(widthOf(b), other, me);
  }
}

/**
 * True if a fast check finds that an access of `who` is ordered before the next event of `me`. It
 * nearly always succeeds if they are ordered.
 */
function isKnown(who: number, stamp: number, me: number, base: Clock): boolean {
  return who === me || stamp < base.bound(agentOf(who));
}
