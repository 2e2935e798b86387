import { at } from '@nccl-ts/core';
import { atCtas, type CostModel } from './cost-model.ts';
import { nothingMoved, type CtaShare, type Moved } from './launch-use.ts';
import type { WordChange } from './word-history.ts';

/** Threads of a warp: they issue an access together. */
export const WARP = 32;

/** The place of any fence among a warp's accesses. */
const FENCE = -2;

/** A wait of a warp: of all of its lanes that wait at that place. */
export interface WarpWait {
  readonly site: number;
  /** When it began. */
  readonly from: number;
  /** When the last lane went on, and what ended its wait. */
  until: number;
  change: WordChange | undefined;
  /** True once a lane has gone on. */
  isSeen: boolean;
}

/** The accesses of a warp since its CTA last met, each timed once for all of its lanes. */
interface WarpAccesses {
  readonly sites: number[];
  readonly times: number[];
  /** Bytes that lanes have moved in each so far: later lanes' bytes come behind them. */
  readonly bytes: number[];
  readonly waits: (WarpWait | undefined)[];
}

/**
 * The clocks of a CTA's warps. Loads that are under way together cost one trip: a warp waits for
 * its loads when it stores, waits or meets others. Its lanes do the same accesses one after the
 * other here, and together on a GPU, so the first lane's access is timed and the others join it.
 */
export class WarpClocks {
  readonly #cost: CostModel;
  readonly #share: CtaShare;
  /** A CTA's part of the links' bandwidths, of loads and of stores. */
  readonly #linkLoads: number;
  readonly #linkStores: number;
  readonly #warps: number;
  readonly #now: Float64Array;
  /** When the loads of each warp will have come. */
  readonly #loaded: Float64Array;
  /** When the stores of each warp will have been acknowledged. */
  readonly #stored: Float64Array;
  /** When each warp began what it has moved since. */
  readonly #since: Float64Array;
  readonly #moved: Moved[];
  /** The longest trip of a load since then: its last byte comes that much later. */
  readonly #trip: Float64Array;
  /** The lanes that have moved something, as bits. */
  readonly #lanes: Int32Array;
  #longest = 0;
  /** When the last access was issued: lanes of a warp issue theirs one behind the other. */
  #issued = 0;
  readonly #stepDue: Uint8Array;
  readonly #accesses: (WarpAccesses | undefined)[];
  /** By thread: its next access among those of its warp. */
  readonly #next: Int32Array;
  /** The bytes of the CTA from its begin on. */
  readonly moved: Moved = nothingMoved();
  /** The bytes of the whole CTA since it last met, and when it met. */
  #together = nothingMoved();
  #met: number;

  constructor(cost: CostModel, threads: number, share: CtaShare, start: number) {
    this.#cost = cost;
    this.#share = share;
    const { byCtas, storesByCtas, bandwidth, storeBandwidth } = cost.nvlink;
    this.#linkLoads = atCtas(byCtas, share.links, bandwidth) / share.links;
    this.#linkStores = atCtas(storesByCtas, share.links, storeBandwidth) / share.links;
    this.#warps = Math.ceil(threads / WARP);
    const count = this.#warps;
    this.#now = new Float64Array(count).fill(start);
    this.#loaded = new Float64Array(count);
    this.#stored = new Float64Array(count);
    this.#since = new Float64Array(count).fill(start);
    this.#lanes = new Int32Array(count);
    this.#trip = new Float64Array(count);
    this.#moved = Array.from({ length: count }, nothingMoved);
    this.#stepDue = new Uint8Array(count).fill(1);
    this.#accesses = Array.from({ length: count }, () => undefined);
    this.#next = new Int32Array(threads);
    this.#met = start;
  }

  /** The latest time that a warp has come to, with all that it has begun. */
  get latest(): number {
    let latest = this.#issued;
    for (let warp = 0; warp < this.#warps; warp++) latest = Math.max(latest, this.#arrivedAll(warp));
    return Math.max(latest, this.#met + this.#transfer(this.#together, 1) + this.#lastTrip(this.#together));
  }

  /** When the warp of `thread` has all that it has begun. */
  at(thread: number): number {
    return this.#ready(thread >> 5);
  }

  /** A load of `bytes` is issued. Returns that time. `trip` is how long it takes. */
  load(thread: number, site: number, bytes: number, trip: number, isOwn: boolean): number {
    const warp = thread >> 5;
    this.#count(thread, bytes, isOwn, true);
    if (trip > at(this.#trip, warp)) this.#trip[warp] = trip;
    if (trip > this.#longest) this.#longest = trip;
    const known = this.#join(warp, thread, site, bytes, isOwn, true);
    if (known >= 0) return known;
    const time = this.#step(warp);
    const loaded = at(this.#loaded, warp);
    if (time + trip > loaded) this.#loaded[warp] = time + trip;
    this.#keep(warp, thread, site, time, bytes);
    return time;
  }

  /**
   * A store of `bytes` is issued, after the warp's loads have come, since it stores what they
   * brought. `releases`: after its earlier stores have been acknowledged, too.
   */
  store(thread: number, site: number, bytes: number, isOwn: boolean, releases: boolean, isSeen = false): number {
    const warp = thread >> 5;
    this.#count(thread, bytes, isOwn, false);
    const known = this.#join(warp, thread, site, bytes, isOwn, false);
    if (known >= 0) return known;
    let time = this.#arrived(warp);
    if (releases) time = Math.max(time + this.#cost.fenceTime, at(this.#stored, warp));
    this.#now[warp] = time;
    const { memory, nvlink } = this.#cost;
    const stored = time + (isOwn ? memory.cachedLatency : nvlink.loadLatency);
    if (stored > at(this.#stored, warp)) this.#stored[warp] = stored;
    // Only others see when it leaves: a plain store counts among the bytes of the CTA.
    const leaves = isOwn || !isSeen ? time : time + this.#turn(warp, bytes);
    this.#keep(warp, thread, site, leaves, bytes);
    return leaves;
  }

  /**
   * How much later than its issue a warp's store leaves for a peer. Warps of a CTA do the same and
   * take turns on its part of the link: all have made their earlier stores, and the warps before
   * this one have made this store too. The first lane stands for all of its warp.
   */
  #turn(warp: number, bytes: number): number {
    let lanes = 0;
    for (let left = at(this.#lanes, warp); left !== 0; left &= left - 1) lanes++;
    const earlier = ((this.#moved[warp]?.peerStores ?? bytes) - bytes) / Math.max(1, lanes);
    const before = WARP * (earlier * this.#warps + bytes * warp);
    return before / Math.min(this.#cost.ctaBandwidth, this.#linkStores);
  }

  /** The warp fences: it waits for its earlier stores, and its loads. */
  fence(thread: number): void {
    const warp = thread >> 5;
    const known = this.#find(warp, thread, FENCE);
    if (known >= 0) {
      this.#next[thread] = known + 1;
      return;
    }
    const time = Math.max(this.#arrived(warp) + this.#cost.fenceTime, at(this.#stored, warp));
    this.#now[warp] = time;
    this.#keep(warp, thread, FENCE, time, 0);
  }

  /** The wait that `thread` has come to, or all threads for -1: the same one for a warp's lanes. */
  wait(thread: number, site: number): WarpWait {
    if (thread < 0) return { site, from: this.latest, until: this.latest, change: undefined, isSeen: false };
    const warp = thread >> 5;
    const next = this.#find(warp, thread, site);
    const known = this.#accesses[warp]?.waits[next];
    if (known !== undefined) {
      this.#next[thread] = next + 1;
      return known;
    }
    const from = this.#ready(warp);
    const wait: WarpWait = { site, from, until: from, change: undefined, isSeen: false };
    this.#keep(warp, thread, site, from, 0, wait);
    return wait;
  }

  /** The warp of `thread`, or all for -1, can go on at `time`: `isFirst` for its first lane. */
  advance(thread: number, time: number, isFirst: boolean): void {
    const [first, last] = thread < 0 ? [0, this.#warps - 1] : [thread >> 5, thread >> 5];
    for (let warp = first; warp <= last; warp++) {
      const begun = this.#begun(warp);
      if (!isFirst && time <= begun) continue;
      this.#now[warp] = Math.max(begun, time);
      this.#stepDue[warp] = 1;
      this.#restart(warp);
    }
  }

  /** Threads meet: of all warps, or of those of `members`. Returns the time at which they go on. */
  meet(members?: readonly number[]): number {
    const warps =
      members === undefined
        ? Array.from({ length: this.#warps }, (_, warp) => warp)
        : [...new Set(members.map((thread) => thread >> 5))];
    const isWhole = warps.length === this.#warps;
    let time = 0;
    let stored = 0;
    for (const warp of warps) {
      // The bytes of the CTA count as a whole.
      time = Math.max(time, isWhole ? this.#arrivedAll(warp) : this.#ready(warp));
      stored = Math.max(stored, at(this.#stored, warp));
    }
    if (isWhole) {
      time = Math.max(time, this.#met + this.#transfer(this.#together, 1) + this.#lastTrip(this.#together));
      this.#together = nothingMoved();
      this.#longest = 0;
    }
    if (warps.length > 1) time += this.#cost.syncTime;
    if (isWhole) this.#met = time;
    for (const warp of warps) {
      this.#now[warp] = time;
      this.#stepDue[warp] = 0;
      this.#stored[warp] = stored;
      this.#restart(warp);
    }
    if (isWhole) {
      this.#accesses.fill(undefined);
      this.#next.fill(0);
    }
    return time;
  }

  /** All warps go on at `time`, with nothing under way. */
  settle(time: number): void {
    for (let warp = 0; warp < this.#warps; warp++) {
      this.#now[warp] = time;
      this.#loaded[warp] = 0;
      this.#restart(warp);
    }
    this.#together = nothingMoved();
    this.#longest = 0;
    this.#met = time;
    this.#stepDue.fill(0);
  }

  #restart(warp: number): void {
    this.#since[warp] = at(this.#now, warp);
    this.#moved[warp] = nothingMoved();
    this.#lanes[warp] = 0;
    this.#trip[warp] = 0;
  }

  /** The instructions before a CTA's first bytes, and the trip of its last ones. */
  #lastTrip({ ownLoads, ownStores, peerLoads, peerStores }: Moved): number {
    return ownLoads + ownStores + peerLoads + peerStores === 0 ? 0 : this.#cost.stepTime + this.#longest;
  }

  /** The time of the next access, with that of the instructions before the first one. */
  #step(warp: number): number {
    const now = at(this.#now, warp);
    if (this.#stepDue[warp] === 0) return now;
    this.#stepDue[warp] = 0;
    const time = now + this.#cost.stepTime;
    this.#now[warp] = time;
    this.#since[warp] = time;
    return time;
  }

  #arrived(warp: number): number {
    return Math.max(this.#step(warp), at(this.#loaded, warp));
  }

  /** The warps that share the CTA's bandwidth: all, unless one lane alone is busy. */
  #users(warp: number): number {
    const lanes = at(this.#lanes, warp);
    return (lanes & (lanes - 1)) === 0 ? 1 : this.#warps;
  }

  #arrivedAll(warp: number): number {
    const due = this.#stepDue[warp] === 1 ? this.#cost.stepTime : 0;
    return Math.max(at(this.#now, warp) + due, at(this.#loaded, warp));
  }

  /** When all is over that the warp has begun. */
  #begun(warp: number): number {
    const moved = this.#moved[warp];
    const transfer = moved === undefined ? 0 : this.#transfer(moved, this.#users(warp)) + at(this.#trip, warp);
    return Math.max(at(this.#now, warp), at(this.#loaded, warp), at(this.#since, warp) + transfer);
  }

  /** The same, with the instructions that are still to come before its next access. */
  #ready(warp: number): number {
    const begun = this.#begun(warp);
    return this.#stepDue[warp] === 1 ? Math.max(begun, at(this.#now, warp) + this.#cost.stepTime) : begun;
  }

  #count(thread: number, bytes: number, isOwn: boolean, loads: boolean): void {
    const warp = thread >> 5;
    this.#lanes[warp] = at(this.#lanes, warp) | (1 << (thread & 31));
    const moved = this.#moved[warp];
    const direction = isOwn ? (loads ? 'ownLoads' : 'ownStores') : loads ? 'peerLoads' : 'peerStores';
    if (moved !== undefined) moved[direction] += bytes;
    this.#together[direction] += bytes;
    this.moved[direction] += bytes;
  }

  /** How long the bytes take where `users` share what a CTA has of memory and of links. */
  #transfer({ ownLoads, ownStores, peerLoads, peerStores }: Moved, users: number): number {
    const { memory, ctaBandwidth } = this.#cost;
    const local = Math.max(
      (ownLoads + ownStores) / (memory.bandwidth / this.#share.memory),
      ownLoads / memory.ctaBandwidth + ownStores / memory.ctaStoreBandwidth,
    );
    const loads = peerLoads / Math.min(this.#linkLoads, ctaBandwidth);
    const stores = peerStores / Math.min(this.#linkStores, ctaBandwidth);
    return users * Math.max(local, loads + stores);
  }

  /**
   * The place of an access among those of the warp since its CTA met. A lane may have left out some
   * of them, where it parted from the others. -1 if no lane has made it.
   */
  #find(warp: number, thread: number, site: number): number {
    const sites = this.#accesses[warp]?.sites;
    const next = at(this.#next, thread);
    if (sites === undefined || next >= sites.length) return -1;
    return sites[next] === site ? next : sites.indexOf(site, next + 1);
  }

  /** The time of an access that another lane has made already; -1 for the first. */
  #join(warp: number, thread: number, site: number, bytes: number, isOwn: boolean, loads: boolean): number {
    const accesses = this.#accesses[warp];
    const next = this.#find(warp, thread, site);
    if (accesses === undefined || next < 0) return -1;
    this.#next[thread] = next + 1;
    const before = at(accesses.bytes, next);
    accesses.bytes[next] = before + bytes;
    const { memory, ctaBandwidth } = this.#cost;
    const rate = isOwn
      ? Math.min(loads ? memory.ctaBandwidth : memory.ctaStoreBandwidth, memory.bandwidth / this.#share.memory)
      : Math.min(ctaBandwidth, loads ? this.#linkLoads : this.#linkStores);
    const time = at(accesses.times, next) + before / rate;
    if (time > this.#issued) this.#issued = time;
    return time;
  }

  #keep(warp: number, thread: number, site: number, time: number, bytes: number, wait?: WarpWait): void {
    const accesses = (this.#accesses[warp] ??= { sites: [], times: [], bytes: [], waits: [] });
    const next = at(this.#next, thread);
    // A lane that has parted from the others keeps its place among theirs.
    if (next !== accesses.sites.length) return;
    accesses.sites.push(site);
    accesses.times.push(time);
    accesses.bytes.push(bytes);
    accesses.waits.push(wait);
    this.#next[thread] = next + 1;
  }
}
