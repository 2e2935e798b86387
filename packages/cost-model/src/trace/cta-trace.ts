import {
  at as itemAt,
  type FlowPoint,
  type NewSlice,
  type SliceArgs,
  type SliceCategory,
  type TrackId,
} from '@nccl-ts/core';
import type { AddressRange } from './traced-machine.ts';
import type { CtaTrace, ReleaseScope, TracedAccess } from '@nccl-ts/codegen';
import { valueAt } from '../cost-model.ts';
import type { CtaSurroundings } from './cta-surroundings.ts';
import type { Acted, Moved } from './launch-use.ts';
import type { Arrow, Unfinished } from './trace-log.ts';
import type { Growing, OpenChange } from './open-change.ts';
import { comesBefore, type WordChange } from './word-changes.ts';
import { WarpClocks } from './warp-clocks.ts';
import { waitFrom, type WarpSync, type WarpWait } from './warp-wait.ts';

const NO_SITE = -1;

/**
 * The time of one CTA: the clocks of its warps, and the slices that are drawn for them. A timeline
 * has one lane for a CTA, which shows the warp that is furthest ahead. Other CTAs affect its clocks
 * only through the words that it waits for or reads.
 */
export class CtaClock implements CtaTrace {
  readonly rank: number;
  readonly track: TrackId;
  readonly start: number;
  readonly #in: CtaSurroundings;
  readonly #ended: (cta: CtaClock) => void;
  readonly #warps: WarpClocks;
  /** The parts of memory that it has accessed from WebAssembly. */
  readonly #regions: AddressRange[] = [];
  /** The time up to which the CTA is drawn. */
  #now: number;
  #growing: Growing | undefined;
  #waiting = false;
  /**
   * The bytes from and to peers in finished slices, and those of each nanosecond of the current
   * slices.
   */
  #peerBytes = { counted: { loads: 0, stores: 0 }, rates: { loads: 0, stores: 0 } };
  /** True once the CTA has polled what a peer has written, and once it has met after that. */
  #hasPolledPeer = false;
  #isLaterRound = false;
  /** The waits, and the fences and barriers, that are not drawn yet. */
  #waits: WarpWait[] = [];
  #syncs: WarpSync[] = [];
  /** The site in the kernel of the first access that is not drawn yet. */
  #site = NO_SITE;
  /** The thread of that change, and its place among the accesses of its warp before it. */
  readonly #attempt = { thread: 0, place: 0 };
  /** The change that is in progress. All changes reuse this object, since there are millions. */
  readonly #change: OpenChange;

  constructor(surroundings: CtaSurroundings, track: TrackId, start: number, ended: (cta: CtaClock) => void) {
    this.#in = surroundings;
    this.#ended = ended;
    this.rank = surroundings.rank;
    this.track = track;
    this.start = start;
    this.#now = start;
    this.#change = { word: 0, how: 'store', rank: this.rank, track, made: start, seen: start, name: 'store' };
    const synced = (sync: WarpSync): void => {
      this.#syncs.push(sync);
    };
    this.#warps = new WarpClocks({ ...surroundings, synced }, start);
  }

  /** The current time in nanoseconds. */
  get now(): number {
    return this.#now;
  }

  /** The bytes that it has moved. */
  get moved(): Moved {
    return this.#warps.moved;
  }

  /** Its other actions. */
  get acted(): Acted {
    return { waits: this.#hasPolledPeer, ...this.#warps.acted };
  }

  /** Advances all warps to the one that is furthest ahead. */
  settle(): void {
    this.#draw(this.#warps.latest);
    this.#warps.settle(this.#now);
  }

  loads(thread: number, site: number, address: number, region: number, bytes: number, ordered: boolean): void {
    const peer = this.#peerOf(region);
    const isOwn = peer === undefined;
    if (!isOwn) this.#in.traffic.loads(this.rank, peer, bytes);
    this.#accessed(site, region, bytes);
    const { cost, share } = this.#in;
    const { memory, nvlink } = cost;
    const cached = ordered ? 1 : share.cached;
    const latency = cached * memory.cachedLatency + (1 - cached) * memory.latency;
    const time = this.#warps.load(thread, site, bytes, isOwn ? latency : nvlink.loadLatency, isOwn);
    if (ordered) this.#reads(thread, address, time);
  }

  stores(thread: number, site: number, region: number, bytes: number): void {
    const peer = this.#peerOf(region);
    if (peer !== undefined) this.#in.traffic.stores(this.rank, peer, bytes);
    this.#accessed(site, region, bytes);
    this.#warps.store(thread, site, bytes, peer === undefined, undefined);
  }

  sends(thread: number, site: number, address: number, region: number, bytes: number): TracedAccess | undefined {
    if (this.#peerOf(region) !== undefined) {
      return this.opens(thread, site, address, region, bytes, 'store', false, undefined);
    }
    this.stores(thread, site, region, bytes);
    return undefined;
  }

  plain(thread: number, site: number, address: number, bytes: number, isStore: boolean): void {
    const region = this.#regionAt(address);
    if (isStore) {
      this.stores(thread, site, region, bytes);
      return;
    }
    this.loads(thread, site, address, region, bytes, false);
  }

  opens(
    thread: number,
    site: number,
    address: number,
    region: number,
    bytes: number,
    how: TracedAccess['how'],
    isAnswered: boolean,
    releases: ReleaseScope | undefined,
  ): TracedAccess {
    const peer = this.#peerOf(region);
    const isOwn = peer === undefined;
    if (!isOwn) this.#in.traffic.stores(this.rank, peer, bytes);
    this.#accessed(site, region, bytes);
    this.#attempt.thread = thread;
    this.#attempt.place = this.#warps.placeOf(thread);
    const time = this.#warps.store(thread, site, bytes, isOwn, releases, true);
    // An atomic is acknowledged over the link, also if nobody uses its result.
    if (how !== 'store' && !isOwn) this.#in.traffic.loads(this.rank, peer, bytes);
    if (isAnswered) {
      // The atomic returns a value, as a load does.
      const { memory, nvlink } = this.#in.cost;
      const trip = isOwn ? memory.atomicLatency : nvlink.atomicLatency;
      // It reads when it arrives at the memory.
      const way = isOwn ? 0 : Math.min(trip, nvlink.latency);
      this.#warps.load(thread, site, 0, trip, isOwn);
      this.#reads(thread, address, time + way, trip - way);
    }
    const { words, cost } = this.#in;
    const change = this.#change;
    change.word = words.open(address, bytes);
    change.how = how;
    change.made = time;
    change.seen = time + (isOwn ? 0 : cost.nvlink.latency);
    change.name = how === 'store' ? 'store' : 'atomic';
    return change;
  }

  closes({ word, how }: TracedAccess): void {
    if (this.#in.words.close(word, how, this.#change)) return;
    // A loop tries it again. Its tries take the time until one of them succeeds, and how many fail
    // before that depends on the schedule.
    this.#warps.goBack(this.#attempt.thread, this.#attempt.place);
  }

  fence(thread: number, site: number, isTogether: boolean, scope: ReleaseScope): void {
    this.#warps.fence(thread, site, isTogether, scope);
  }

  passesCluster(thread: number, site: number): void {
    this.#warps.passes(thread, site);
  }

  meets(site: number, members?: readonly number[]): void {
    const time = this.#warps.meet(site, members);
    this.#isLaterRound ||= this.#hasPolledPeer;
    if (members === undefined) this.#draw(time);
  }

  waited(thread: number, site: number, addresses: readonly number[], holds: () => boolean): void {
    const wait = this.#warps.wait(thread, site);
    const isFirst = !wait.isSeen;
    wait.isSeen = true;
    const alike = !isFirst && wait.until > wait.from ? wait.needed : undefined;
    this.#polls(addresses);
    const { time, change, needed } = this.#in.words.earliest(addresses, wait.from, holds, alike);
    if (isFirst) wait.needed = needed;
    const until = time > wait.from ? time + this.#pollTime(wait) + this.#moreFlags(change) : wait.from;
    this.#note(wait, until, change);
    this.#warps.advance(thread, until, isFirst);
    this.#waiting = false;
  }

  voted(
    members: readonly number[],
    site: number,
    addresses: (thread: number) => readonly number[],
    votes: (thread: number) => void,
    ends: () => boolean,
  ): boolean {
    // The order in which warps come to the loop does not depend on the schedule, unlike its end.
    for (const thread of members) this.#warps.comes(thread, site);
    if (!ends()) return false;
    const waits = members.map((thread) => this.#warps.wait(thread, site));
    // All of them vote in each round, so no round is before the last of them has come.
    const from = waits.reduce((latest, wait) => Math.max(latest, wait.from), 0);
    const looks = members.map((thread) => ({ addresses: addresses(thread), again: () => votes(thread) }));
    for (const look of looks) this.#polls(look.addresses);
    const { time, change } = this.#in.words.earliestOf(looks, from, ends);
    // Warps that vote together poll at the same times.
    const earlier = waits.reduce((least, wait) => Math.min(least, wait.earlier), Infinity);
    const seen = time + this.#pollTime({ earlier }) + this.#moreFlags(change);
    for (const [i, thread] of members.entries()) {
      const wait = itemAt(waits, i);
      const isFirst = !wait.isSeen;
      wait.isSeen = true;
      const until = time > from ? seen : wait.from;
      this.#note(wait, until, change);
      this.#warps.advance(thread, until, isFirst);
    }
    return true;
  }

  /**
   * A peer that writes such a word after this CTA has begun counts, also if the word comes before
   * the wait: on a GPU, CTAs begin and words come at times that vary.
   */
  #polls(addresses: readonly number[]): void {
    this.#hasPolledPeer ||= addresses.some((address) => {
      const change = this.#in.words.latestAfter(address, this.start, this.track);
      return change !== undefined && change.rank !== this.rank;
    });
  }

  /**
   * The time in which a poll sees a change: half a poll on average, and a load. Warps poll at
   * random phases, so the last of n warps is expected to see it n / (n + 1) of a poll after it has
   * come.
   */
  #pollTime({ earlier }: Pick<WarpWait, 'earlier'>): number {
    const { cachedLatency } = this.#in.cost.memory;
    return cachedLatency * (0.5 + (earlier + 1) / (earlier + 2));
  }

  /**
   * How much later the last flag of all CTAs comes from a peer than that of one. The launch has the
   * time of its first flags. Those behind a barrier of the CTA are others.
   */
  #moreFlags(change: WordChange | undefined): number {
    if (change === undefined || change.rank === this.rank) return 0;
    const { cost, share } = this.#in;
    return this.#isLaterRound ? valueAt(cost.nvlink.flagsByCtas, share.links, 0) : 0;
  }

  /**
   * Reads a word with an order, at `time`: the warp waits for a change that is on its way, and then
   * for the answer, which an atomic begins to wait for behind that change.
   */
  #reads(thread: number, address: number, time: number, answer = 0): void {
    const change = this.#in.words.latestAfter(address, time, this.track);
    if (change === undefined) return;
    const from = this.#warps.at(thread);
    const until = change.time + answer;
    if (until <= from) return;
    this.#note(waitFrom(NO_SITE, from, 0), until, change);
    this.#warps.advance(thread, until, false);
  }

  /** Ends a wait of one lane at this time. */
  #note(wait: WarpWait, until: number, change: WordChange | undefined): void {
    if (until <= wait.from) return;
    if (wait.until === wait.from) this.#waits.push(wait);
    if (until > wait.until) {
      wait.until = until;
      wait.change = change;
    } else if (until === wait.until && change !== undefined && wait.change !== undefined) {
      if (comesBefore(wait.change, change)) wait.change = change;
    }
  }

  /** Draws the work of the warps up to `end`, in the order of time and not of the schedule. */
  #draw(end: number): void {
    const waits = [...this.#waits, ...this.#syncs].toSorted(
      (a, b) => a.from - b.from || a.until - b.until || a.site - b.site,
    );
    this.#waits = [];
    this.#syncs = [];
    this.#spread(waits, end);
    for (const wait of waits) {
      const { site, from, until } = wait;
      this.#compute(from);
      if ('kind' in wait) {
        const { name, at } = this.#in.locationAt(site);
        this.#spend(
          { name: name === 'wait' || name === 'asm' ? wait.kind : name, category: wait.kind, args: { at }, site },
          until,
        );
        continue;
      }
      const { change } = wait;
      const place = site === NO_SITE ? undefined : this.#in.locationAt(site);
      const args: SliceArgs = place === undefined ? {} : { at: place.at };
      this.#spend({ name: place?.name ?? 'load', category: 'wait', args, site }, until, change);
    }
    this.#compute(end);
    this.#site = NO_SITE;
  }

  /**
   * Spreads the bytes since the last work over the work that is about to be drawn, if there is any.
   */
  #spread(waits: readonly (WarpWait | WarpSync)[], end: number): void {
    let [now, time] = [this.#now, 0];
    for (const { from, until } of waits) {
      time += Math.max(0, from - now);
      now = Math.max(now, from, until);
    }
    time += Math.max(0, end - now);
    if (time === 0) return;
    const { peerLoads: loads, peerStores: stores } = this.#warps.moved;
    const { counted } = this.#peerBytes;
    this.#peerBytes = {
      counted: { loads, stores },
      rates: { loads: (loads - counted.loads) / time, stores: (stores - counted.stores) / time },
    };
  }

  #compute(time: number): void {
    if (time <= this.#now) return;
    const part = time - this.#now;
    const args: SliceArgs = this.#site === NO_SITE ? {} : { at: this.#in.locationAt(this.#site).at };
    this.#spend({ name: 'compute', category: 'compute', args, site: NO_SITE }, time);
    const { rates } = this.#peerBytes;
    if (this.#growing === undefined) return;
    this.#growing.loads += rates.loads * part;
    this.#growing.stores += rates.stores * part;
  }

  #accessed(site: number, region: number, bytes: number): void {
    if (this.#site === NO_SITE || site < this.#site) this.#site = site;
    if (this.#in.isResource(region)) this.#warps.moved.resources += bytes;
  }

  /** Records an operation at `site` that takes the CTA `time` nanoseconds. Returns its start. */
  operation(name: string, category: SliceCategory, time: number, given: SliceArgs, site: number): number {
    const args = { at: this.#in.locationAt(site).at, ...given };
    this.settle();
    this.#close();
    const start = this.#now;
    this.#now += time;
    this.#warps.settle(this.#now);
    this.#in.log.slice(this.track, { name, category, start, end: this.#now, args });
    return start;
  }

  /** Waits until `time` for room in a queue. */
  holdUp(time: number): void {
    this.settle();
    this.#spend({ name: 'queue full', category: 'wait', args: {}, site: NO_SITE }, time);
    this.#warps.settle(this.#now);
  }

  /** Called when the CTA cannot continue for now. */
  parked(): void {
    // The step settles when the wait ends, because the schedule decides how often the CTA parks on
    // the way.
    this.#waiting = true;
  }

  done(): void {
    this.settle();
    this.#end({});
  }

  /** Stops the CTA at a time of the world. */
  stop(time: number): void {
    const { log } = this.#in;
    this.settle();
    for (const { slice } of this.#still()) {
      log.slice(this.track, { ...slice, end: Math.max(time, this.#now), args: { ...slice.args, unfinished: true } });
    }
    this.#close();
    this.#now = Math.max(time, this.#now);
    this.#ended(this);
  }

  /** Returns its slices so far. */
  unfinished(): Unfinished {
    const growing = this.#growing;
    const parts = growing === undefined ? undefined : this.#drawn(growing);
    return {
      slices: parts === undefined ? [] : [{ track: this.track, slice: parts.slice }],
      arrows: parts?.arrows ?? [],
      begun: this.#still(),
    };
  }

  #still(): Unfinished['begun'] {
    const { track } = this;
    const whole = { track, slice: this.#whole() };
    if (!this.#waiting) return [whole];
    return [whole, { track, slice: { name: 'wait', category: 'wait', start: this.#now, args: {} } }];
  }

  #whole(): { name: string; category: 'launch'; start: number; args: SliceArgs } {
    return { name: this.#in.kernel, category: 'launch', start: this.start, args: this.#in.args };
  }

  #end(args: SliceArgs): void {
    this.#close();
    const whole = this.#whole();
    this.#in.log.slice(this.track, { ...whole, end: this.#now, args: { ...whole.args, ...args } });
    this.#ended(this);
  }

  /** Extends the drawing to `end` with one slice, and merges adjacent equal slices. */
  #spend(what: Pick<Growing, 'name' | 'category' | 'args' | 'site'>, end: number, change?: WordChange): void {
    const before = this.#growing;
    const alike = before?.category === what.category && before.site === what.site && before.name === what.name;
    if (end === this.#now && alike && change !== undefined && before.change !== undefined) {
      if (comesBefore(before.change, change)) before.change = change;
    }
    if (end <= this.#now) return;
    if (alike) {
      before.end = end;
      before.change = change ?? before.change;
    } else {
      this.#close();
      this.#growing = { ...what, start: this.#now, end, change, loads: 0, stores: 0 };
    }
    this.#now = end;
  }

  #close(): void {
    const growing = this.#growing;
    if (growing === undefined) return;
    this.#growing = undefined;
    const { slice, arrows } = this.#drawn(growing);
    this.#in.log.slice(this.track, slice);
    for (const arrow of arrows) this.#in.log.arrow(arrow);
  }

  #drawn({ name, category, start, end, args: given, change, loads, stores }: Growing): {
    readonly slice: NewSlice;
    readonly arrows: readonly Arrow[];
  } {
    const args: SliceArgs = {
      ...given,
      ...(loads > 0 && { loads: Math.round(loads) }),
      ...(stores > 0 && { stores: Math.round(stores) }),
    };
    const from = change?.source;
    const to: FlowPoint = { track: this.track, time: end, side: 'ending' };
    return {
      slice: { name, category, start, end, args },
      arrows: from === undefined || from.track === this.track ? [] : [{ name: change?.name ?? name, from, to }],
    };
  }

  /** Returns the region that contains an address. It searches the regions used so far first. */
  #regionAt(address: number): number {
    for (const { low, high, region } of this.#regions) if (address >= low && address < high) return region;
    const found = this.#in.rangeAt(address);
    if (found === undefined) return 0;
    this.#regions.push(found);
    return found.region;
  }

  /** Returns the other rank that owns the memory; `undefined` if this rank or none does. */
  #peerOf(region: number): number | undefined {
    const owner = this.#in.ownerOf(region);
    return owner === this.rank ? undefined : owner;
  }
}
