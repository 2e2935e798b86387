import type { ReleaseScope } from '@nccl-ts/codegen';
import { WARP_SIZE } from '@nccl-ts/core';
import type { CostModel } from '../cost-model.ts';
import { leastFenceTime } from './fence-time.ts';
import { CLUSTER, FENCE, indexOfAccess, insertAccess, keepAccess, missing, noAccesses } from './warp-accesses.ts';
import type { WarpAccesses, WarpSurroundings } from './warp-accesses.ts';
import { CtaBytes } from './cta-bytes.ts';
import type { Acted, Moved } from './launch-use.ts';
import { f64At, i32At, u8At } from './typed-items.ts';
import { waitFrom, type WarpSync, type WarpWait } from './warp-wait.ts';

/**
 * The clocks of a CTA's warps. Loads that are in flight together cost one trip: a warp waits for
 * its loads when it stores, waits or synchronizes. The simulator runs the lanes of a warp one after
 * the other, while a GPU runs them together. So only the first lane's access is timed, and the
 * other lanes join it.
 */
export class WarpClocks {
  readonly #cost: CostModel;
  readonly #issueAt: (site: number) => number;
  readonly #bytes: CtaBytes;
  readonly #synced: (sync: WarpSync) => void;
  readonly #warps: number;
  /** CTAs of the launch that fence. */
  readonly #fencers: number;
  /** The warps that take turns to send: all, or one. */
  readonly #senders: number;
  readonly #now: Float64Array;
  /** The time at which the loads of each warp arrive. */
  readonly #loaded: Float64Array;
  /**
   * The call sites of the loads that each warp has not waited for. The next round of a loop uses
   * what the last one has loaded, and no compiler unrolls loops with unknown steps.
   */
  readonly #loading: Set<number>[];
  /** The time at which the stores of each warp are acknowledged. */
  readonly #stored: Float64Array;
  /** The time at which a fence of the device's scope no longer waits for them. */
  readonly #storedHere: Float64Array;
  /** The time at which each warp started what it has moved since. */
  readonly #since: Float64Array;
  /** The longest trip of a load since then. The load's last byte arrives that much later. */
  readonly #trip: Float64Array;
  /** The bytes that the first lane has stored to peers since then. */
  readonly #sent: Float64Array;
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
  /** By warp: the index of its first access since its last wait. */
  readonly #round: Int32Array;
  /** By site: the warps that have come to a wait since the CTA last met. */
  readonly #waiters = new Map<number, number>();
  /** By site and warp: the warps that came before one whose wait there goes on. */
  readonly #waiting = new Map<number, number>();
  /** True once it has fenced at system scope, and the warps that have sent. */
  #fences = false;
  readonly #sending = new Set<number>();
  /** When the whole CTA met. */
  #met: number;
  /** The last warp that has fenced since then, or -1. */
  #fencing = -1;

  constructor({ cost, threads, share, issueAt, synced }: WarpSurroundings, start: number) {
    this.#cost = cost;
    this.#synced = synced;
    this.#issueAt = issueAt;
    this.#warps = Math.ceil(threads / WARP_SIZE);
    this.#fencers = share.fencers;
    this.#senders = share.senders === 1 ? 1 : this.#warps;
    this.#bytes = new CtaBytes(cost, share, this.#warps);
    const count = this.#warps;
    this.#now = new Float64Array(count).fill(start);
    this.#loaded = new Float64Array(count);
    this.#loading = Array.from({ length: count }, () => new Set<number>());
    this.#stored = new Float64Array(count);
    this.#storedHere = new Float64Array(count);
    this.#since = new Float64Array(count).fill(start);
    this.#lanes = new Int32Array(count);
    this.#trip = new Float64Array(count);
    this.#sent = new Float64Array(count);
    this.#stepDue = new Uint8Array(count).fill(1);
    this.#accesses = Array.from({ length: count }, () => undefined);
    this.#next = new Int32Array(threads);
    this.#round = new Int32Array(count);
    this.#met = start;
  }

  /** The bytes of the CTA since the beginning. */
  get moved(): Moved {
    return this.#bytes.moved;
  }

  /** Its actions beside moving bytes. */
  get acted(): Omit<Acted, 'waits'> {
    return { fences: this.#fences, senders: this.#sending.size };
  }

  /** Returns the time at which the latest warp has completed everything that it started. */
  get latest(): number {
    let latest = this.#issued;
    for (let warp = 0; warp < this.#warps; warp++) latest = Math.max(latest, this.#arrivedAll(warp));
    return Math.max(latest, this.#met + this.#bytes.transfer(this.#warps, 1) + this.#lastTrip());
  }

  /** Returns the time at which the warp of `thread` has completed everything that it started. */
  at(thread: number): number {
    return this.#ready(thread >> 5);
  }

  /** Issues a load of `bytes`, which takes `trip`. Returns the time of issue. */
  load(thread: number, site: number, bytes: number, trip: number, isOwn: boolean): number {
    const warp = thread >> 5;
    const made = this.#find(warp, thread, site);
    const isPast = this.#isPast(thread, made);
    this.#count(thread, bytes, isOwn, true, isPast);
    if (!isPast && trip > f64At(this.#trip, warp)) this.#trip[warp] = trip;
    if (trip > this.#longest) this.#longest = trip;
    if (made >= 0) return this.#join(thread, made, bytes, isOwn, true);
    const beside = this.#besideLoad(warp, thread, site, bytes, trip);
    if (beside >= 0) return beside;
    const isNextRound = this.#loading[warp]?.has(site) === true;
    const time = (isNextRound ? this.#arrived(warp) : this.#step(warp)) + this.#issueAt(site);
    this.#loading[warp]?.add(site);
    this.#now[warp] = time;
    const loaded = f64At(this.#loaded, warp);
    if (time + trip > loaded) this.#loaded[warp] = time + trip;
    this.#keep(warp, thread, site, time, bytes, { trip });
    return time;
  }

  /**
   * Issues a store of `bytes`. It waits for the warp's loads, since it stores their values. With
   * `releases`, it also waits until the warp's earlier stores are acknowledged to that scope.
   */
  store(
    thread: number,
    site: number,
    bytes: number,
    isOwn: boolean,
    releases: ReleaseScope | undefined,
    isSeen = false,
  ): number {
    const warp = thread >> 5;
    const made = this.#find(warp, thread, site);
    this.#count(thread, bytes, isOwn, false, this.#isPast(thread, made));
    if (made >= 0) return this.#join(thread, made, bytes, isOwn, false);
    let time = this.#arrived(warp) + this.#issueAt(site);
    const { memory, nvlink, deviceStoreTime } = this.#cost;
    if (releases !== undefined) {
      const from = time;
      this.#fences ||= releases === 'system';
      time = Math.max(
        time + leastFenceTime(this.#cost, releases, false, this.#fencers),
        this.#storedFor(releases, warp),
      );
      if (time > from) this.#synced({ kind: 'fence', site, from, until: time });
    }
    this.#now[warp] = time;
    const acknowledged = isOwn ? memory.cachedLatency : nvlink.storeLatency;
    this.#stored[warp] = Math.max(f64At(this.#stored, warp), time + acknowledged);
    this.#storedHere[warp] = Math.max(f64At(this.#storedHere, warp), time + Math.min(acknowledged, deviceStoreTime));
    // Only others see when it leaves: a plain store counts among the bytes of the CTA.
    if (!isOwn && isSeen) this.#sending.add(warp);
    const sentAt = isOwn || !isSeen ? time : time + this.#turn(warp, bytes);
    const isKept = this.#keep(warp, thread, site, sentAt, bytes);
    if (isKept && !isOwn) this.#sent[warp] = f64At(this.#sent, warp) + bytes;
    return sentAt;
  }

  /** The place of a thread among the accesses of its warp: the index of its next one. */
  placeOf(thread: number): number {
    return i32At(this.#next, thread);
  }

  /** Lets a thread make its accesses from a place on again. */
  goBack(thread: number, place: number): void {
    this.#next[thread] = Math.min(place, i32At(this.#next, thread));
  }

  /**
   * How much later than its issue a warp's store leaves for a peer. Warps of a CTA do the same and
   * take turns on its part of the link: all have made their earlier stores, and the warps before
   * this one have made this store too. One that sends alone takes no turns. The first lane stands
   * for all of its warp.
   */
  #turn(warp: number, bytes: number): number {
    const place = Math.min(warp, this.#senders - 1);
    const before = WARP_SIZE * (f64At(this.#sent, warp) * this.#senders + bytes * place);
    return before / this.#bytes.rate(false, false);
  }

  /**
   * The warp fences: it waits for its earlier stores, and its loads. With `isTogether`, all warps
   * of the CTA do. Otherwise the first one is timed as if it were alone.
   */
  fence(thread: number, site: number, isTogether: boolean, scope: ReleaseScope): void {
    const warp = thread >> 5;
    const known = this.#find(warp, thread, FENCE);
    if (known >= 0) {
      this.#next[thread] = known + 1;
      return;
    }
    const isBesideOthers = isTogether ? this.#warps > 1 : this.#fencing >= 0 && this.#fencing !== warp;
    this.#fencing = warp;
    this.#fences ||= scope === 'system';
    const from = this.#arrived(warp);
    const least = leastFenceTime(this.#cost, scope, isBesideOthers, this.#fencers);
    const time = Math.max(from + least, this.#storedFor(scope, warp));
    if (time > from) this.#synced({ kind: 'fence', site, from, until: time });
    this.#now[warp] = time;
    this.#keep(warp, thread, FENCE, time, 0);
  }

  /** The warp passes a barrier of the CTAs of its cluster. */
  passes(thread: number, site: number): void {
    const warp = thread >> 5;
    const known = this.#find(warp, thread, CLUSTER);
    if (known >= 0) {
      this.#next[thread] = known + 1;
      return;
    }
    const from = this.#arrived(warp);
    const time = from + this.#cost.clusterTime;
    if (time > from) this.#synced({ kind: 'barrier', site, from, until: time });
    this.#now[warp] = time;
    this.#keep(warp, thread, CLUSTER, time, 0);
  }

  /** The time at which the warp's stores are done for a fence of that scope. */
  #storedFor(scope: ReleaseScope, warp: number): number {
    return f64At(scope === 'system' ? this.#stored : this.#storedHere, warp);
  }

  /**
   * Returns the wait that `thread` has reached, or all threads for -1. The lanes of a warp share
   * one wait.
   */
  wait(thread: number, site: number): WarpWait {
    if (thread < 0) return waitFrom(site, this.latest, 0);
    const warp = thread >> 5;
    const next = this.#find(warp, thread, site);
    const known = this.#accesses[warp]?.waits[next];
    if (known !== undefined) {
      this.#next[thread] = next + 1;
      return known;
    }
    const from = this.#ready(warp) + this.#issueAt(site);
    this.comes(thread, site);
    const earlier = this.#waiting.get(this.#indexOf(warp, site)) ?? missing(next);
    this.#waiting.delete(this.#indexOf(warp, site));
    const wait = waitFrom(site, from, earlier);
    this.#keep(warp, thread, site, from, 0, { wait });
    return wait;
  }

  /** The warp of `thread` comes to a wait, which decides its place among the warps that wait. */
  comes(thread: number, site: number): void {
    const place = this.#indexOf(thread >> 5, site);
    if (this.#waiting.has(place)) return;
    const earlier = Math.min(this.#waiters.get(site) ?? 0, this.#warps - 1);
    this.#waiters.set(site, earlier + 1);
    this.#waiting.set(place, earlier);
  }

  #indexOf(warp: number, site: number): number {
    return site * this.#warps + warp;
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
   * continue. The lanes of one warp have one clock, and they do not wait for its accesses.
   */
  meet(site: number, members?: readonly number[]): number {
    const warps =
      members === undefined
        ? Array.from({ length: this.#warps }, (_, warp) => warp)
        : [...new Set(members.map((thread) => thread >> 5))];
    const isWhole = warps.length === this.#warps;
    const [first = 0] = warps;
    if (warps.length === 1 && !isWhole) return f64At(this.#now, first);
    let time = 0;
    let stored = 0;
    let storedHere = 0;
    for (const warp of warps) {
      // The bytes of the whole CTA count.
      time = Math.max(time, isWhole ? this.#arrivedAll(warp) : this.#ready(warp));
      stored = Math.max(stored, f64At(this.#stored, warp));
      storedHere = Math.max(storedHere, f64At(this.#storedHere, warp));
    }
    if (isWhole) {
      const moved = this.#met + this.#bytes.transfer(this.#warps, 1);
      if (this.#bytes.hasSent(this.#warps)) {
        const { nvlink, deviceStoreTime } = this.#cost;
        stored = Math.max(stored, moved + nvlink.storeLatency);
        storedHere = Math.max(storedHere, moved + Math.min(nvlink.storeLatency, deviceStoreTime));
      }
      time = Math.max(time, moved + this.#lastTrip());
      this.#bytes.forget(this.#warps);
      this.#longest = 0;
    }
    if (warps.length > 1 && this.#cost.syncTime > 0) {
      const from = time;
      time += this.#cost.syncTime;
      this.#synced({ kind: 'barrier', site, from, until: time });
    }
    if (isWhole) this.#met = time;
    for (const warp of warps) {
      this.#now[warp] = time;
      this.#stepDue[warp] = 0;
      this.#stored[warp] = stored;
      this.#storedHere[warp] = storedHere;
      this.#restart(warp);
    }
    if (isWhole) {
      this.#fencing = -1;
      this.#waiters.clear();
      this.#waiting.clear();
      this.#accesses.fill(undefined);
      this.#next.fill(0);
      this.#round.fill(0);
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
    this.#bytes.forget(this.#warps);
    this.#longest = 0;
    this.#met = time;
    this.#stepDue.fill(0);
  }

  #restart(warp: number): void {
    this.#since[warp] = f64At(this.#now, warp);
    this.#bytes.forget(warp);
    this.#lanes[warp] = 0;
    this.#trip[warp] = 0;
    this.#sent[warp] = 0;
    const accesses = this.#accesses[warp];
    this.#round[warp] = accesses === undefined ? 0 : accesses.sites.length;
    this.#loading[warp]?.clear();
  }

  /** The time of the instructions before a CTA's first bytes, and of the trip of its last ones. */
  #lastTrip(): number {
    return this.#bytes.hasMoved(this.#warps) ? this.#cost.stepTime + this.#longest : 0;
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

  /** The time at which the warp's loads have arrived. Later loads are a new round. */
  #arrived(warp: number): number {
    this.#loading[warp]?.clear();
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
    const transfer = this.#bytes.transfer(warp, this.#users(warp)) + f64At(this.#trip, warp);
    return Math.max(f64At(this.#now, warp), f64At(this.#loaded, warp), f64At(this.#since, warp) + transfer);
  }

  /** The same, including the instructions that are still to come before its next access. */
  #ready(warp: number): number {
    const begun = this.#begun(warp);
    return u8At(this.#stepDue, warp) === 1 ? Math.max(begun, f64At(this.#now, warp) + this.#cost.stepTime) : begun;
  }

  /**
   * Counts the bytes of an access. A lane may follow when another one is past the wait behind it:
   * then its bytes count among those of the whole CTA only.
   */
  #count(thread: number, bytes: number, isOwn: boolean, loads: boolean, isPast: boolean): void {
    const warp = thread >> 5;
    if (!isPast) this.#lanes[warp] = i32At(this.#lanes, warp) | (1 << (thread & 31));
    this.#bytes.count(warp, bytes, isOwn, loads, isPast);
  }

  /**
   * True if the first lane has passed a wait since it made the access that a lane makes now, which
   * is number `made`, or -1 if no lane has made it.
   */
  #isPast(thread: number, made: number): boolean {
    return (made < 0 ? i32At(this.#next, thread) : made) < i32At(this.#round, thread >> 5);
  }

  /**
   * The index of an access among those of the warp since its CTA met, -1 if no lane has made it. A
   * lane may have left out some of them, where it parted from the others.
   */
  #find(warp: number, thread: number, site: number): number {
    return indexOfAccess(this.#accesses[warp], i32At(this.#next, thread), site);
  }

  /** Returns the time of access number `made`, which another lane has already made. */
  #join(thread: number, made: number, bytes: number, isOwn: boolean, loads: boolean): number {
    const accesses = this.#accesses[thread >> 5] ?? missing(made);
    this.#next[thread] = made + 1;
    const before = accesses.bytes[made] ?? missing(made);
    accesses.bytes[made] = before + bytes;
    const rate = this.#bytes.rate(isOwn, loads);
    const time = (accesses.times[made] ?? missing(made)) + before / rate;
    if (time > this.#issued) this.#issued = time;
    return time;
  }

  /**
   * Issues a load that the lanes before this one have left out, such as that of a lane with more
   * elements. It is under way together with the load before it. Returns its time, or -1 if no load
   * is before it.
   */
  #besideLoad(warp: number, thread: number, site: number, bytes: number, trip: number): number {
    const accesses = this.#accesses[warp];
    const next = i32At(this.#next, thread);
    if (accesses === undefined || next === 0 || next === accesses.sites.length) return -1;
    if ((accesses.trips[next - 1] ?? missing(next - 1)) === 0) return -1;
    const time = (accesses.times[next - 1] ?? missing(next - 1)) + this.#issueAt(site);
    insertAccess(accesses, { site, time, bytes, trip, wait: undefined }, this.#next, thread);
    this.#inserted(warp, next);
    if (time + trip > f64At(this.#loaded, warp)) this.#loaded[warp] = time + trip;
    return time;
  }

  /** An access of a lane now stands before those from `place` on. */
  #inserted(warp: number, place: number): void {
    if (place < i32At(this.#round, warp)) this.#round[warp] = i32At(this.#round, warp) + 1;
  }

  /**
   * Adds an access that no lane of the warp has made. Returns false if the lane has parted from
   * those before it. Lanes that part in the same way make such accesses together, after those of
   * the others.
   */
  #keep(
    warp: number,
    thread: number,
    site: number,
    time: number,
    bytes: number,
    { trip = 0, wait }: { readonly trip?: number; readonly wait?: WarpWait } = {},
  ): boolean {
    const accesses = (this.#accesses[warp] ??= noAccesses());
    const access = { site, time, bytes, trip, wait };
    const isParted = keepAccess(accesses, access, this.#next, thread);
    if (isParted) this.#inserted(warp, i32At(this.#next, thread) - 1);
    return !isParted;
  }
}
