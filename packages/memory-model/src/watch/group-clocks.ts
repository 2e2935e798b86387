import { PLAIN, SYSTEM, type ThreadCoordinates, type ScopeWidth } from '../scope.ts';
import type { AgentGroup } from './agent.ts';
import type { Bounds, KeySelection } from './bounds.ts';
import { agentOf, Clock, isSameShared, whoIs, type Who } from './clock.ts';
import { joinSnapshot, overSnapshot, type Snapshot } from './snapshot.ts';
import { EpochIds } from './epoch-ids.ts';
import type { EpochId, Epochs } from './epochs.ts';
import type { ProxyPair } from '../fabric-pair.ts';
import { FabricBridges } from './fabric-bridges.ts';
import { MissedEdges } from './missed-edge.ts';
import { numberAt } from './number-at.ts';
import { PendingReads } from './pending-reads.ts';
import { byWidth, isInScope, type Published } from './published.ts';
import { HardwareClocks } from './hardware-clocks.ts';
import type { ChainedWrite } from './update-chain.ts';

/** The number of remembered barriers of a group. Those between two racing accesses matter. */
const MEETINGS = 64;

export interface GroupInit extends AgentGroup {
  readonly epochs: Epochs;
  readonly threads: number;
  /** The events ordered before its first access. The clock becomes shared. */
  readonly begin: Clock;
  /** The offset added to the numbers of sites. */
  readonly siteBase: number;
  /** The number of sites of its program. */
  readonly sites: number;
  /**
   * True if threads that synchronize share the releases of their fences. They do so on GPUs, but
   * not in the memory model.
   */
  readonly sharesFences: boolean;
}

/**
 * The clocks of the threads of one CTA, of a host program, or of one request in progress. All
 * threads share `base`. The events that single threads have acquired since the last barrier are in
 * `extra`.
 */
export class GroupClocks {
  readonly agent: number;
  readonly rank: number;
  readonly cta: number;
  readonly cluster: number | undefined;
  readonly threads: number;
  readonly domain: number | undefined;
  readonly siteBase: number;
  readonly sites: number;
  /** The number of thread 0. The others have consecutive numbers. */
  readonly whoBase: Who;
  /** The same, or an unused number if program order does not order the group's accesses. */
  readonly selfBase: number;
  stamp: number;
  base: Clock;
  /** The events followed by a proxy fence that the group is ordered after. */
  bridged: Clock | undefined;
  /** The clocks of others that it already contains, because all threads learn the same. */
  readonly #bridgedFrom = new WeakSet<Clock | FabricBridges>();
  /** The fences of the fabric proxy that the group is ordered after. */
  #fabric: FabricBridges | undefined;
  readonly extra: (Clock | undefined)[];
  readonly missed: MissedEdges = new MissedEdges();
  /**
   * By thread: the clocks that its fences publish through later strong writes, widest scope first.
   * Absent without fences.
   */
  readonly #fences: (readonly Published[])[] = [];
  /** By thread: the last result of `known`, with its inputs. */
  readonly #known: (
    | { readonly base: Bounds; readonly extra: Bounds | undefined; readonly changes: number; readonly clock: Clock }
    | undefined
  )[] = [];
  /** The events ordered before the beginning of the group, as it releases them. */
  readonly beginning: Snapshot;
  /** A group begins with a fence of all its threads, of system scope. */
  readonly #beginning: readonly Published[];
  readonly onGpus: HardwareClocks = new HardwareClocks();
  readonly #pending: PendingReads[] = [];
  /** By thread: the last snapshot that it joined. */
  readonly #joined: (Snapshot | undefined)[] = [];
  readonly #epochs: Epochs;
  readonly #ids: EpochIds;
  readonly #met: number[];
  readonly #sharesFences: boolean;
  readonly #firstThread: number;

  constructor(init: GroupInit) {
    this.agent = init.agent;
    this.rank = init.rank;
    this.cta = init.cta;
    this.cluster = init.cluster;
    this.threads = init.threads;
    this.#firstThread = init.firstThread;
    this.domain = init.domain;
    this.siteBase = init.siteBase;
    this.sites = init.sites;
    this.stamp = init.stamp;
    this.base = init.begin;
    this.base.shared = true;
    this.extra = Array.from({ length: init.threads }, () => undefined);
    this.whoBase = whoIs(init.agent, 0);
    this.selfBase = init.inOrder ? this.whoBase : -1;
    this.#epochs = init.epochs;
    this.#ids = new EpochIds(init.threads);
    this.#met = init.met;
    this.#sharesFences = init.sharesFences;
    this.beginning = { base: init.begin, extra: undefined, who: this.whoBase, bound: 0 };
    this.#beginning = [{ snapshot: this.beginning, width: SYSTEM, by: this.coordinates(0) }];
  }

  coordinates(thread: number): ThreadCoordinates {
    const { rank, cta, cluster, domain } = this;
    return { rank, cta, cluster, domain, thread: this.#firstThread + thread };
  }

  /** The epoch of an access at this time. It stays the same until the stamp changes. */
  id(thread: number, site: number, mask: number): EpochId {
    const ids = this.#ids.of(site, mask);
    const known = numberAt(ids, thread);
    if (known !== 0 && this.#epochs.stamp[known] === this.stamp) return known;
    const id = this.fresh(thread, site, mask);
    ids[thread] = id;
    return id;
  }

  /** Makes later accesses use new epochs. */
  forgetIds(): void {
    this.#ids.forget();
  }

  /** Makes an epoch that no other access shares. */
  fresh(thread: number, site: number, mask: number): EpochId {
    return this.#epochs.add(this.whoBase + thread, this.stamp, this.siteBase + site, mask);
  }

  /** True if the event of `who` at `stamp` is ordered before the next event of `thread`. */
  isAfter(thread: number, who: Who, stamp: number): boolean {
    if (who === this.selfBase + thread) return true;
    return this.base.covers(who, stamp) || (this.extra[thread]?.covers(who, stamp) ?? false);
  }

  /** The thread's current clock. Its next events are later. */
  snapshot(thread: number): Snapshot {
    const taken = this.peek(thread);
    this.stamp++;
    return taken;
  }

  /** The thread's current clock, for reading only. */
  peek(thread: number): Snapshot {
    const extra = this.extra[thread];
    this.base.shared = true;
    if (extra !== undefined) extra.shared = true;
    const { base, bridged } = this;
    const fabric = this.#fabric;
    if (bridged !== undefined) bridged.shared = true;
    if (fabric !== undefined) fabric.shared = true;
    return { base, extra, who: this.whoBase + thread, bound: this.stamp + 1, bridged, fabric };
  }

  /** The events for which `isAfter` is true. Requests of a queue do not follow each other. */
  eventsBefore(thread: number): Snapshot {
    const taken = this.peek(thread);
    return this.selfBase === this.whoBase ? taken : { ...taken, bound: 0 };
  }

  /** Orders everything that `snapshot` covers before the next event of `thread`. */
  join(thread: number, snapshot: Snapshot): void {
    // Many words that are read one after the other have published the same clocks.
    const last = this.#joined[thread];
    this.#joined[thread] = snapshot;
    if (last !== undefined && isSameShared(last.base, snapshot.base) && isSameShared(last.extra, snapshot.extra))
      this.#own(thread).raisePart(snapshot.who, snapshot.bound);
    else joinSnapshot(this.#own(thread), snapshot);
    this.#joinFences(snapshot);
  }

  /**
   * The same for a snapshot whose clock is shared, and that covers what the thread had learned at
   * `before`. Threads that meet so share the clock if they have learned nothing since.
   */
  adopt(thread: number, snapshot: Snapshot, before: Snapshot): void {
    if (this.threads === 1 || snapshot.extra !== undefined || this.extra[thread] !== before.extra) {
      this.join(thread, snapshot);
      return;
    }
    this.#joined[thread] = snapshot;
    this.extra[thread] = snapshot.base;
    this.#joinFences(snapshot);
  }

  #joinFences({ bridged, fabric }: Snapshot): void {
    if (fabric !== undefined && !this.#bridgedFrom.has(fabric)) {
      this.#fabricOwn().join(fabric);
      if (fabric.shared) this.#bridgedFrom.add(fabric);
    }
    if (bridged === undefined || this.#bridgedFrom.has(bridged)) return;
    this.#bridge((clock) => clock.join(bridged));
    // A shared clock no longer changes.
    if (bridged.shared) this.#bridgedFrom.add(bridged);
  }

  /**
   * Handles a proxy fence. After it, other addresses may access the bytes of events ordered before
   * it. With `copies`, it may be one of two fences between copies of two blocks.
   */
  fenceProxy(thread: number, copies = false): void {
    const before = this.snapshot(thread);
    this.#bridge((clock) => joinSnapshot(clock, before));
    if (copies) this.#fabricOwn().releases('async to async', (clock) => joinSnapshot(clock, before));
  }

  /**
   * Handles a proxy fence that the next access of a copy implies: who sees that access, which tells
   * that the copy is over, may access its bytes without a fence of their own.
   */
  fenceCompletion(thread: number): void {
    const before = this.peek(thread);
    // A strong write has a stamp of its own, which is the next one.
    const written = { ...before, bound: before.bound + 1 };
    this.#bridge((clock) => joinSnapshot(clock, written));
  }

  /** Handles the release of a fence of the fabric proxy. */
  fabricReleases(thread: number, pair: ProxyPair): void {
    const before = this.snapshot(thread);
    this.#fabricOwn().releases(pair, (clock) => joinSnapshot(clock, before));
  }

  /** Handles the acquire of a fence of the fabric proxy. */
  fabricAcquires(pair: ProxyPair): void {
    this.#fabricOwn().acquires(pair);
  }

  /**
   * True if fences of the fabric proxy lead from an event to here. The end of a kernel is such a
   * fence.
   */
  isBridged(pair: ProxyPair, who: Who, stamp: number): boolean {
    return this.#fabric?.covers(pair, who, stamp) === true || this.beginning.base.covers(who, stamp);
  }

  #fabricOwn(): FabricBridges {
    const known = this.#fabric;
    const own = known === undefined ? new FabricBridges() : known.shared ? known.clone() : known;
    this.#fabric = own;
    return own;
  }

  #bridge(add: (clock: Clock) => void): void {
    const own = this.bridged === undefined ? new Clock(0) : this.bridged.shared ? this.bridged.clone() : this.bridged;
    add(own);
    this.bridged = own;
  }

  /**
   * Orders the single writes that it has read before the next event of `thread`, which passes them
   * on as single writes.
   */
  sees(thread: number, writes: Iterable<ChainedWrite> = []): void {
    for (const { who, stamp } of writes) {
      if (!this.isAfter(thread, who, stamp)) this.#own(thread).raiseOne(agentOf(who), stamp);
    }
  }

  /** Records that the thread is ordered after the events of `who` before `bound`. */
  knows(thread: number, who: Who, bound: number): void {
    this.#own(thread).raisePart(who, bound);
  }

  /**
   * The part of the thread's clock that covers the selected threads. Do not change it. The
   * selection must always be the same.
   */
  known(thread: number, threads: KeySelection): Clock {
    const base = this.base.parts;
    const extra = this.extra[thread]?.parts;
    const last = this.#known[thread];
    const changes = extra === undefined ? base.changes : base.changes + extra.changes;
    if (last?.base === base && last.extra === extra && last.changes === changes) return last.clock;
    const clock = new Clock(0);
    for (const from of [base, extra]) if (from !== undefined) clock.parts.join(from.only(threads), true);
    clock.shared = true;
    this.#known[thread] = { base, extra, changes, clock };
    return clock;
  }

  joinClock(thread: number, clock: Clock): void {
    this.#own(thread).join(clock);
  }

  /** Orders a thread after the end of earlier launches, for which it has waited. */
  afterLaunches(thread: number, end: Clock): void {
    this.joinClock(thread, end);
    const launches = { base: end, extra: undefined, who: this.whoBase, bound: 0 };
    this.onGpus.launches[thread] = launches;
    this.#fences[thread] = [
      ...this.fences(thread),
      { snapshot: launches, width: SYSTEM, by: this.coordinates(thread) },
    ];
  }

  /** The launches before the kernel, and those for which the thread has waited. */
  launchesBefore(thread: number): Snapshot {
    return this.onGpus.launches[thread] ?? this.beginning;
  }

  /**
   * The clock that records what `thread` learns. It is the group's clock if there is no other
   * thread.
   */
  #own(thread: number): Clock {
    if (this.threads === 1) {
      if (this.base.shared) this.base = this.base.clone();
      return this.base;
    }
    const known = this.extra[thread];
    if (known !== undefined && !known.shared) return known;
    const own = known === undefined ? new Clock(0) : known.clone();
    this.extra[thread] = own;
    return own;
  }

  /**
   * Records that the thread has seen a write by a volatile load, or has waited for it. On GPUs the
   * loads before the write have then finished.
   */
  learnsOver(thread: number, over: Snapshot | undefined): void {
    if (over !== undefined) this.onGpus.over.learns(thread, over);
  }

  /**
   * The loads that have finished when the thread's write takes effect: its own loads `before` the
   * write, those that it has learned of, and those of the write that an atomic continues.
   */
  over(thread: number, before: Snapshot, continued?: Snapshot): Snapshot {
    return overSnapshot(before, this.onGpus.over.of(thread), continued);
  }

  /** Adds the loads that have finished for the thread to the clock of a request that it posts. */
  passesOver(thread: number, clock: Clock): void {
    for (const over of [this.onGpus.over.of(thread), this.base.over, this.extra[thread]?.over])
      if (over !== undefined) clock.isAfterOver(over);
  }

  /** True if a load has finished for the thread. */
  isOver(thread: number, who: Who, stamp: number): boolean {
    if (this.onGpus.over.covers(thread, who, stamp)) return true;
    return [this.base, this.extra[thread]].some((clock) => clock?.over?.covers(who, stamp) === true);
  }

  /**
   * Records that the thread decides by a strong write that has published these clocks. On GPUs its
   * strong loads begin later. Its plain loads may return what the multiprocessor has cached.
   */
  decidesBy(thread: number, width: ScopeWidth, published: readonly Published[]): void {
    const me = this.coordinates(thread);
    for (const one of published) if (isInScope(me, width, one)) this.onGpus.decided.learns(thread, one.snapshot);
  }

  /** Lets each of these threads release by the fences of all of them, from now on. */
  #shareFences(members: readonly number[]): void {
    this.onGpus.share(members);
    const fences = new Set(members.flatMap((t) => this.#fences[t] ?? []));
    if (fences.size === 0) return;
    const shared = byWidth(fences);
    for (const t of members) this.#fences[t] = shared;
  }

  /**
   * Handles a barrier of all threads. Each is then ordered after all earlier accesses of all of
   * them.
   */
  meetAll(): void {
    if (this.#sharesFences) this.#shareFences(Array.from({ length: this.threads }, (_, t) => t));
    const base = this.base.shared ? this.base.clone() : this.base;
    const seen = new Set<Clock>();
    for (let t = 0; t < this.threads; t++) {
      const extra = this.extra[t];
      if (extra === undefined) continue;
      if (!seen.has(extra)) base.join(extra);
      seen.add(extra);
      this.extra[t] = undefined;
    }
    base.raise(this.agent, this.stamp + 1);
    base.prune();
    this.base = base;
    if (this.#met.length === MEETINGS) this.#met.shift();
    this.#met.push(this.stamp);
    this.stamp++;
  }

  /** Handles a barrier of some threads. */
  meet(members: readonly number[]): void {
    if (members.length === this.threads) {
      this.meetAll();
      return;
    }
    if (this.#sharesFences) this.#shareFences(members);
    const all = new Clock(0);
    const seen = new Set<Clock>();
    for (const t of members) {
      const extra = this.extra[t];
      if (extra !== undefined && !seen.has(extra)) all.join(extra);
      if (extra !== undefined) seen.add(extra);
    }
    for (const t of members) all.raisePart(this.whoBase + t, this.stamp + 1);
    all.shared = true;
    for (const t of members) this.extra[t] = all;
    this.stamp++;
  }

  /** Adds everything that all threads have done or acquired to `clock`. */
  end(clock: Clock): void {
    for (let t = 0; t < this.threads; t++) this.claim(t, SYSTEM);
    clock.join(this.base);
    const seen = new Set<Clock>();
    for (const extra of this.extra) {
      if (extra === undefined || seen.has(extra)) continue;
      clock.join(extra);
      seen.add(extra);
    }
    for (const over of this.onGpus.over.all) clock.isAfterOver(over);
    clock.raise(this.agent, this.stamp + 1);
    this.stamp++;
  }

  /** Acquires the writes that earlier relaxed reads returned, as far as scopes of `width` allow. */
  claim(thread: number, width: ScopeWidth, address?: number, settles: boolean = address === undefined): void {
    const pending = this.#pending[thread];
    if (pending === undefined) return;
    const me = this.coordinates(thread);
    const takes = (published: Published): boolean =>
      (published.got !== 'settled' || settles) && this.#acquire(thread, me, width, published);
    pending.claim(takes, address);
  }

  /** Handles an acquiring fence of a thread. Earlier reads acquire by it. */
  fenceAcquires(thread: number, width: ScopeWidth, settles: boolean): void {
    this.claim(thread, width, undefined, settles);
    this.missed.acquiredBy(thread);
  }

  /**
   * Acquires the clocks that a strong write published, if each scope includes the other thread.
   * Returns the clocks that are out of scope.
   */
  acquire(thread: number, width: ScopeWidth, published: readonly Published[]): readonly Published[] {
    const me = this.coordinates(thread);
    return published.filter((one) => !this.#acquire(thread, me, width, one));
  }

  #acquire(thread: number, me: ThreadCoordinates, width: ScopeWidth, published: Published): boolean {
    if (width === PLAIN || !isInScope(me, width, published)) return false;
    this.join(thread, published.snapshot);
    if (this.#sharesFences) this.onGpus.acquires(thread, published);
    return true;
  }

  /** On GPUs, what later strong writes of the thread pass on, of what others have published. */
  passed(thread: number): readonly Published[] {
    return this.onGpus.acquired(thread);
  }

  /** Remembers the writes that a relaxed read has seen. */
  postpone(thread: number, address: number, published: readonly Published[]): void {
    if (published.length === 0) return;
    (this.#pending[thread] ??= new PendingReads()).add(address, published);
  }

  /**
   * The events ordered before `thread` that it, or a thread that it has synchronized with since,
   * has released at `width` or wider. Readers of a release of the whole group need them.
   */
  released(thread: number, width: ScopeWidth): Clock {
    const clock = new Clock(0);
    for (const { snapshot } of this.#beginning) joinSnapshot(clock, snapshot);
    for (const [by, fences] of this.#fences.entries()) {
      for (const { snapshot, width: wide } of fences ?? []) {
        // A wait for earlier launches is no event that another thread could come after.
        const isKnown = snapshot.bound === 0 ? by === thread : this.isAfter(thread, snapshot.who, snapshot.bound - 1);
        if (wide >= width && isKnown) joinSnapshot(clock, snapshot);
      }
    }
    return clock;
  }

  /** Handles a releasing fence. Later strong writes publish the events before it. */
  fenced(thread: number, width: ScopeWidth): void {
    const published = { snapshot: this.snapshot(thread), width, by: this.coordinates(thread) };
    const wider = this.fences(thread).filter((one) => one.width > width);
    this.#fences[thread] = [...wider, published];
  }

  /** The clocks that the thread's strong writes publish because of earlier fences. */
  fences(thread: number): readonly Published[] {
    return this.#fences[thread] ?? this.#beginning;
  }
}
