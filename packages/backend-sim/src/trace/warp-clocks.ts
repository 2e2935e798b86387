import { WARP } from '../warp.ts';
import type { CostModel } from './cost-model.ts';
import { f64At, i32At, u8At } from './typed-items.ts';
import type { WordChange } from './word-changes.ts';

/** A wait of a warp: of all of its lanes that wait at the same place. */
export interface WarpWait {
  readonly site: number;
  /** The time at which it began. */
  readonly from: number;
  /** The time at which the last lane continued, and the change that ended its wait. */
  until: number;
  change: WordChange | undefined;
  /** True once a lane has continued. */
  isSeen: boolean;
}

/**
 * The accesses of a warp since the last synchronization of its CTA. Each is timed once for all
 * lanes.
 */
interface WarpAccesses {
  readonly sites: number[];
  readonly times: number[];
  /** The bytes that lanes have moved so far in each access. The bytes of later lanes follow. */
  readonly bytes: number[];
  readonly waits: (WarpWait | undefined)[];
}

/**
 * The clocks of a CTA's warps. Loads that are in flight together cost one trip: a warp waits for
 * its loads when it stores, waits or synchronizes. The simulator runs the lanes of a warp one after
 * the other, while a GPU runs them together. So only the first lane's access is timed, and the
 * other lanes join it.
 */
export class WarpClocks {
  /** The bytes to and from peers since the start. */
  readonly peerBytes = { loads: 0, stores: 0 };
  readonly #cost: CostModel;
  /** The CTA's bytes per nanosecond: for its own memory, and for loads and stores to peers. */
  readonly #ownRate: number;
  readonly #loadRate: number;
  readonly #storeRate: number;
  readonly #warps: number;
  readonly #now: Float64Array;
  /** The time at which the loads of each warp arrive. */
  readonly #loaded: Float64Array;
  /** The time at which the stores of each warp are acknowledged. */
  readonly #stored: Float64Array;
  /** The time at which each warp started what it has moved since. */
  readonly #since: Float64Array;
  /**
   * The bytes that each warp has moved since then, by memory and direction. The last item counts
   * those of the whole CTA since its last synchronization.
   */
  readonly #own: Float64Array;
  readonly #peerLoads: Float64Array;
  readonly #peerStores: Float64Array;
  /** The longest trip of a load since then. The load's last byte arrives that much later. */
  readonly #trip: Float64Array;
  /** The lanes that have moved something, as bits. */
  readonly #lanes: Int32Array;
  #longest = 0;
  /**
   * The time at which the last access was issued. The lanes of a warp issue theirs one after the
   * other.
   */
  #issued = 0;
  readonly #stepDue: Uint8Array;
  readonly #accesses: (WarpAccesses | undefined)[];
  /** By thread: the index of its next access among those of its warp. */
  readonly #next: Int32Array;
  /** The time of the last synchronization of the whole CTA. */
  #met: number;

  constructor(cost: CostModel, threads: number, sharers: number, start: number) {
    this.#cost = cost;
    const { memory, nvlink, ctaBandwidth } = cost;
    this.#ownRate = Math.min(memory.ctaBandwidth, memory.bandwidth / sharers);
    this.#loadRate = Math.min(ctaBandwidth, nvlink.bandwidth / sharers);
    this.#storeRate = Math.min(ctaBandwidth, nvlink.storeBandwidth / sharers);
    this.#warps = Math.ceil(threads / WARP);
    const count = this.#warps;
    this.#now = new Float64Array(count).fill(start);
    this.#loaded = new Float64Array(count);
    this.#stored = new Float64Array(count);
    this.#since = new Float64Array(count).fill(start);
    this.#lanes = new Int32Array(count);
    this.#trip = new Float64Array(count);
    this.#own = new Float64Array(count + 1);
    this.#peerLoads = new Float64Array(count + 1);
    this.#peerStores = new Float64Array(count + 1);
    this.#stepDue = new Uint8Array(count).fill(1);
    this.#accesses = Array.from({ length: count }, () => undefined);
    this.#next = new Int32Array(threads);
    this.#met = start;
  }

  /** Returns the time at which the latest warp has completed everything that it started. */
  get latest(): number {
    let latest = this.#issued;
    for (let warp = 0; warp < this.#warps; warp++) latest = Math.max(latest, this.#arrivedAll(warp));
    return Math.max(latest, this.#met + this.#transfer(this.#warps, 1) + this.#lastTrip());
  }

  /** Returns the time at which the warp of `thread` has completed everything that it started. */
  at(thread: number): number {
    return this.#ready(thread >> 5);
  }

  /** Issues a load of `bytes`, which takes `trip`. Returns the time of issue. */
  load(thread: number, site: number, bytes: number, trip: number, isOwn: boolean): number {
    const warp = thread >> 5;
    this.#count(thread, bytes, isOwn, true);
    if (trip > f64At(this.#trip, warp)) this.#trip[warp] = trip;
    if (trip > this.#longest) this.#longest = trip;
    const known = this.#join(warp, thread, site, bytes, isOwn, true);
    if (known >= 0) return known;
    const time = this.#step(warp);
    const loaded = f64At(this.#loaded, warp);
    if (time + trip > loaded) this.#loaded[warp] = time + trip;
    this.#keep(warp, thread, site, time, bytes);
    return time;
  }

  /**
   * Issues a store of `bytes`. It waits for the warp's loads, since it stores their values. With
   * `releases`, it also waits until the warp's earlier stores are acknowledged.
   */
  store(thread: number, site: number, bytes: number, isOwn: boolean, releases: boolean): number {
    const warp = thread >> 5;
    this.#count(thread, bytes, isOwn, false);
    const known = this.#join(warp, thread, site, bytes, isOwn, false);
    if (known >= 0) return known;
    let time = this.#arrived(warp);
    if (releases) time = Math.max(time, f64At(this.#stored, warp)) + this.#cost.fenceTime;
    this.#now[warp] = time;
    const { memory, nvlink } = this.#cost;
    const stored = time + (isOwn ? memory.cachedLatency : nvlink.loadLatency);
    if (stored > f64At(this.#stored, warp)) this.#stored[warp] = stored;
    this.#keep(warp, thread, site, time, bytes);
    return time;
  }

  /** Makes the warp wait for its earlier stores and loads. */
  fence(thread: number): void {
    const warp = thread >> 5;
    if (i32At(this.#next, thread) < (this.#accesses[warp]?.sites.length ?? 0)) return;
    this.#now[warp] = Math.max(this.#arrived(warp), f64At(this.#stored, warp));
  }

  /**
   * Returns the wait that `thread` has reached, or all threads for -1. The lanes of a warp share
   * one wait.
   */
  wait(thread: number, site: number): WarpWait {
    if (thread < 0) return { site, from: this.latest, until: this.latest, change: undefined, isSeen: false };
    const warp = thread >> 5;
    const accesses = this.#accesses[warp];
    const next = i32At(this.#next, thread);
    const known = accesses?.sites[next] === site ? accesses.waits[next] : undefined;
    if (known !== undefined) {
      this.#next[thread] = next + 1;
      return known;
    }
    const from = this.#ready(warp);
    const wait: WarpWait = { site, from, until: from, change: undefined, isSeen: false };
    this.#keep(warp, thread, site, from, 0, wait);
    return wait;
  }

  /**
   * Lets the warp of `thread`, or all warps for -1, continue at `time`. `isFirst` is true for the
   * warp's first lane.
   */
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

  /**
   * Synchronizes the threads of all warps, or those of `members`. Returns the time at which they
   * continue.
   */
  meet(members?: readonly number[]): number {
    const warps =
      members === undefined
        ? Array.from({ length: this.#warps }, (_, warp) => warp)
        : [...new Set(members.map((thread) => thread >> 5))];
    const isWhole = warps.length === this.#warps;
    let time = 0;
    let stored = 0;
    for (const warp of warps) {
      // The bytes of the whole CTA count.
      time = Math.max(time, isWhole ? this.#arrivedAll(warp) : this.#ready(warp));
      stored = Math.max(stored, f64At(this.#stored, warp));
    }
    if (isWhole) {
      time = Math.max(time, this.#met + this.#transfer(this.#warps, 1) + this.#lastTrip());
      this.#forgetBytes(this.#warps);
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

  /** Lets all warps continue at `time`, with nothing in flight. */
  settle(time: number): void {
    for (let warp = 0; warp < this.#warps; warp++) {
      this.#now[warp] = time;
      this.#loaded[warp] = 0;
      this.#restart(warp);
    }
    this.#forgetBytes(this.#warps);
    this.#longest = 0;
    this.#met = time;
    this.#stepDue.fill(0);
  }

  #restart(warp: number): void {
    this.#since[warp] = f64At(this.#now, warp);
    this.#forgetBytes(warp);
    this.#lanes[warp] = 0;
    this.#trip[warp] = 0;
  }

  /** The time of the instructions before a CTA's first bytes, and of the trip of its last ones. */
  #lastTrip(): number {
    const whole = this.#warps;
    const bytes = f64At(this.#own, whole) + f64At(this.#peerLoads, whole) + f64At(this.#peerStores, whole);
    return bytes === 0 ? 0 : this.#cost.stepTime + this.#longest;
  }

  #forgetBytes(of: number): void {
    this.#own[of] = 0;
    this.#peerLoads[of] = 0;
    this.#peerStores[of] = 0;
  }

  /** The time of the next access, including the instructions before the first one. */
  #step(warp: number): number {
    const now = f64At(this.#now, warp);
    if (u8At(this.#stepDue, warp) === 0) return now;
    this.#stepDue[warp] = 0;
    const time = now + this.#cost.stepTime;
    this.#now[warp] = time;
    this.#since[warp] = time;
    return time;
  }

  #arrived(warp: number): number {
    return Math.max(this.#step(warp), f64At(this.#loaded, warp));
  }

  /** The number of warps that share the CTA's bandwidth: all, unless only one lane is busy. */
  #users(warp: number): number {
    const lanes = i32At(this.#lanes, warp);
    return (lanes & (lanes - 1)) === 0 ? 1 : this.#warps;
  }

  #arrivedAll(warp: number): number {
    const due = u8At(this.#stepDue, warp) === 1 ? this.#cost.stepTime : 0;
    return Math.max(f64At(this.#now, warp) + due, f64At(this.#loaded, warp));
  }

  /** The time at which everything that the warp started is complete. */
  #begun(warp: number): number {
    const transfer = this.#transfer(warp, this.#users(warp)) + f64At(this.#trip, warp);
    return Math.max(f64At(this.#now, warp), f64At(this.#loaded, warp), f64At(this.#since, warp) + transfer);
  }

  /** The same, including the instructions that are still to come before its next access. */
  #ready(warp: number): number {
    const begun = this.#begun(warp);
    return u8At(this.#stepDue, warp) === 1 ? Math.max(begun, f64At(this.#now, warp) + this.#cost.stepTime) : begun;
  }

  #count(thread: number, bytes: number, isOwn: boolean, loads: boolean): void {
    const warp = thread >> 5;
    this.#lanes[warp] = i32At(this.#lanes, warp) | (1 << (thread & 31));
    const moved = isOwn ? this.#own : loads ? this.#peerLoads : this.#peerStores;
    moved[warp] = f64At(moved, warp) + bytes;
    moved[this.#warps] = f64At(moved, this.#warps) + bytes;
    if (isOwn) return;
    if (loads) this.peerBytes.loads += bytes;
    else this.peerBytes.stores += bytes;
  }

  /** The time that the bytes take if `users` share the CTA's bandwidth to memory and links. */
  #transfer(of: number, users: number): number {
    const local = f64At(this.#own, of) / (this.#ownRate / users);
    const loads = f64At(this.#peerLoads, of) / (this.#loadRate / users);
    const stores = f64At(this.#peerStores, of) / (this.#storeRate / users);
    return Math.max(local, loads + stores);
  }

  /** The time of an access that another lane has already made; -1 for the first lane. */
  #join(warp: number, thread: number, site: number, bytes: number, isOwn: boolean, loads: boolean): number {
    const accesses = this.#accesses[warp];
    const next = i32At(this.#next, thread);
    if (accesses === undefined || accesses.sites[next] !== site) return -1;
    this.#next[thread] = next + 1;
    const before = accesses.bytes[next] ?? missing(next);
    accesses.bytes[next] = before + bytes;
    const rate = isOwn ? this.#ownRate : loads ? this.#loadRate : this.#storeRate;
    const time = (accesses.times[next] ?? missing(next)) + before / rate;
    if (time > this.#issued) this.#issued = time;
    return time;
  }

  #keep(warp: number, thread: number, site: number, time: number, bytes: number, wait?: WarpWait): void {
    const accesses = (this.#accesses[warp] ??= { sites: [], times: [], bytes: [], waits: [] });
    const next = i32At(this.#next, thread);
    // A lane that has diverged from the others keeps its position among their accesses.
    if (next !== accesses.sites.length) return;
    accesses.sites.push(site);
    accesses.times.push(time);
    accesses.bytes.push(bytes);
    accesses.waits.push(wait);
    this.#next[thread] = next + 1;
  }
}

function missing(access: number): never {
  throw new RangeError(`A warp has no access ${access}.`);
}
