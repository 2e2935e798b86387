import { at, LINE, type MemoryOrder } from '@nccl-ts/core';
import { PLAIN, reachEachOther, scopeWidth, SYSTEM, widthOf, type ScopeWidth } from '../scope.ts';
import { accessListener } from './access-listener.ts';
import { Accesses } from './accesses.ts';
import { newAgent, nextGroup, writerOf, type Agent, type AgentInit } from './agent.ts';
import { ArrivedWords } from './arrived-words.ts';
import { agentOf, type Clock } from './clock.ts';
import type { Determinacy } from './determinacy.ts';
import type { LoggedWord } from './logged-word.ts';
import { Epochs, maskOf, WHOLE_WORD, type EpochId } from './epochs.ts';
import { raceOf, seenAt } from './explain.ts';
import { FenceOrder } from './fence-order.ts';
import type { HappensBeforeOptions } from './happens-before-options.ts';
import type { StrongWrite, Taking } from './strong-access.ts';
import { ownStore } from './own-store.ts';
import { isFirstWrite, looksUnwritten } from './first-writes.ts';
import { FlagStores } from './flag-stores.ts';
import { HardwareLines } from './hardware-lines.ts';
import { isOrderedByHardware, mayDependOnHardware } from './hardware-order.ts';
import { GroupClocks } from './group-clocks.ts';
import { changeOf, stores, type LoggedChange } from './logged-change.ts';
import {
  beforeChange,
  changeByNetwork,
  continueChanges,
  deliveredBy,
  overOfChange,
  publishedClocks,
  waitsBefore,
  type NetworkChange,
} from './network-change.ts';
import { newest, type Published } from './published.ts';
import { acquiring, releasing } from './orders.ts';
import { Shadow } from './shadow.ts';
import { SiteColumns } from './site-columns.ts';
import { StrongWords } from './strong-words.ts';
import type { SyncWord } from './sync-words.ts';
import { WarpLines } from './warp-lines.ts';
import { decides, type WatchedSite } from './watched-site.ts';
import { UpdateChain } from './update-chain.ts';
import { endsByValue, type WaitRead, type Want } from './want.ts';
import { WordHistory } from './word-history.ts';
import { besideOthers } from './versions.ts';
import { isBefore, type Beside } from './word-log.ts';

/** Decides which accesses of a world are ordered and which race. */
export class HappensBefore {
  readonly epochs: Epochs = new Epochs();
  readonly #initial: EpochId = this.epochs.add(0, 1, 0, WHOLE_WORD);
  readonly shadow: Shadow = new Shadow();
  readonly accesses: Accesses;
  readonly #words = new StrongWords(this.epochs);
  readonly sites: WatchedSite[] = [];
  readonly #fences = new FenceOrder();
  readonly #agents: Agent[] = [];
  readonly #table = new SiteColumns();
  readonly options: HappensBeforeOptions;
  /** Decides if other runs exist. */
  readonly determinacy: Determinacy | undefined;
  /** True if orders count that GPUs guarantee beyond the memory model. */
  readonly isOnHardware: boolean;
  readonly #lines: HardwareLines | undefined;
  readonly warpLines: WarpLines = new WarpLines(this.epochs);
  readonly #explaining = {
    epochs: this.epochs,
    sites: this.#table,
    coordinatesOf: (agent: number): Agent => this.agent(agent),
    metOf: (agent: number): readonly number[] => this.agent(agent).met,
  };
  /** True if an event occurred that GPUs order more strictly than the memory model does. */
  leansOnHardware = false;
  readonly flagStores: FlagStores = new FlagStores();
  /** True if the current read is the one that satisfies a wait. */
  #isPassing = false;

  constructor(options: HappensBeforeOptions) {
    this.options = options;
    this.determinacy = options.determinacy;
    this.isOnHardware = options.hardware === true;
    const arrived = new ArrivedWords(this.epochs, (agent) => this.agent(agent));
    this.#lines = this.isOnHardware ? new HardwareLines(this.warpLines, arrived) : undefined;
    const listener = accessListener(this, options, (group, thread, site, before, shadow, address) =>
      this.#raced(group, thread, site, before, shadow, address),
    );
    this.accesses = new Accesses(this.epochs, this.#table, listener, (agent) => this.agent(agent));
    this.accesses.heap = this.shadow;
    if (options.words !== undefined)
      this.accesses.history = new WordHistory(options.words, (site) => at(this.#table.widths, site));
    // Agent 0 holds the initial contents, and precedes every other agent.
    this.addAgent({ kind: 'host', rank: -1 });
    options.determinacy?.begin(() => this.addAgent({ kind: 'host', rank: -1 }).index);
  }

  /** True if the reads that satisfy waits matter. Then call `passes` for them. */
  get needsWaits(): boolean {
    return this.determinacy !== undefined || this.options.least !== undefined;
  }

  addAgent(init: AgentInit): Agent {
    if (init.kind === 'network') this.determinacy?.seesNetwork();
    const agent = newAgent(init, this.#agents.length);
    this.accesses.crosses ||= init.kind === 'bulk' || init.kind === 'fabric';
    this.#agents.push(agent);
    return agent;
  }

  agent(index: number): Agent {
    const agent = this.#agents[index];
    if (agent === undefined) throw new RangeError(`no agent ${index}`);
    return agent;
  }

  /** Adds the source locations of another program, and returns the number of the first. */
  addSites(sites: readonly WatchedSite[]): number {
    const base = this.sites.length;
    this.#table.add(sites);
    this.sites.push(...sites);
    return base;
  }

  /** Begins a group after its agent's last group, and after the events in `begin`. */
  open(agent: Agent, threads: number, begin: Clock, siteBase: number, sites = 0, cluster?: number): GroupClocks {
    begin.raise(0, 2);
    agent.cluster = cluster;
    const { epochs, isOnHardware: sharesFences } = this;
    return new GroupClocks({ ...nextGroup(agent), threads, epochs, begin, siteBase, sites, sharesFences });
  }

  /** Ends the group. All that is ordered before its end precedes everything that joins `clock`. */
  close(group: GroupClocks, clock: Clock): void {
    group.end(clock);
    this.agent(group.agent).stamp = group.stamp;
  }

  /** Records that the bytes exist from the beginning. */
  given(low: number, high: number): void {
    this.shadow.begin(low, high, this.#initial);
  }

  /** Visits the epochs that identify the words of strong writes. */
  eachWordEpoch(visit: (id: EpochId) => void): void {
    for (const { id } of this.#words.of(this.shadow).all()) visit(id);
    this.options.least?.eachEpoch(visit);
  }

  /** Records that the bytes are unwritten, because they are new or have a new owner. */
  forget(low: number, high: number): void {
    this.determinacy?.forget(this.shadow, low, high);
    this.options.least?.forget(this.shadow, low, high);
    this.shadow.clear(low, high);
    this.accesses.history?.forget(low, high);
    this.#words.of(this.shadow).clear(low, high);
  }

  /** Handles a strong read of a whole word. */
  load(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number): void {
    const watched = this.#site(group, site);
    const { bytes, access, usedAt } = watched;
    if (watched.polls === true) looksUnwritten(this, group, { thread, shadow, address, site });
    if (access === undefined) {
      this.accesses.read(group, thread, shadow, address, bytes, site);
      return;
    }
    const width = scopeWidth(access.scope);
    if (access.order === 'seq_cst') this.#fence(group, thread, 'seq_cst', width, false);
    group.onGpus.cached.acquires(access.order, width);
    const acquires = acquiring[access.order] || this.#acquiresOnGpus(watched);
    const how = { acquires: acquires ? width : undefined, usedAt };
    const takes = this.determinacy?.loads(group, thread, this.#words.logged(shadow, address, bytes), how);
    const word = this.#take(group, thread, shadow, address, site, { takes, acquires, width });
    this.accesses.read(group, thread, shadow, address, bytes, site);
    if (takes === undefined) this.#sees(group, thread, word?.seen);
    if (watched.volatile === true) group.learnsOver(thread, word?.over);
    if (watched.polls === true) this.polledLine(group, thread, shadow, address, bytes);
  }

  /** Reads these words or, if none are given, the current contents. Returns the last. */
  #take(
    group: GroupClocks,
    thread: number,
    shadow: Shadow,
    address: number,
    site: number,
    { takes, acquires, width }: Taking,
  ): SyncWord | undefined {
    if (takes?.length === 0 && acquires) group.claim(thread, width, address);
    let last: SyncWord | undefined;
    for (const word of takes ?? [this.#words.at(shadow, address)])
      last = this.#observe(group, thread, word, address, site, { acquires, width });
    return last;
  }

  /** Handles a strong read that ends a wait. Returns the strong write that it counts as reading. */
  passes(group: GroupClocks, { thread, shadow, address, site }: WaitRead, want: Want): SyncWord | undefined {
    const watched = this.#site(group, site);
    const { bytes, access } = watched;
    const { determinacy, least } = this.options;
    const logged = this.#words.logged(shadow, address, bytes);
    const older = access === undefined ? undefined : least?.least(group, thread, logged, want);
    if (access === undefined || (determinacy === undefined && older === undefined)) {
      this.load(group, thread, shadow, address, site);
      const word = access === undefined ? undefined : this.#words.at(shadow, address);
      if (endsByValue(want)) this.#seesOver(group, thread, word);
      return word;
    }
    const width = scopeWidth(access.scope);
    if (access.order === 'seq_cst') this.#fence(group, thread, 'seq_cst', width, false);
    group.onGpus.cached.acquires(access.order, width);
    const acquires = acquiring[access.order] || this.#acquiresOnGpus(watched);
    const sampled = { takes: older?.word === undefined ? [] : [older.word], sees: true };
    const { takes, sees } = determinacy?.passes(group, thread, logged, acquires ? width : undefined, want) ?? sampled;
    const last = this.#take(group, thread, shadow, address, site, { takes, acquires, width });
    this.#isPassing = true;
    this.accesses.read(group, thread, shadow, address, bytes, site);
    this.#isPassing = false;
    if (sees) this.#sees(group, thread, last?.seen);
    if (watched.volatile === true || endsByValue(want)) this.#seesOver(group, thread, last);
    this.polledLine(group, thread, shadow, address, bytes);
    return last;
  }

  /** The thread has read the last write of a chain. */
  #sees(group: GroupClocks, thread: number, chain: UpdateChain | undefined): void {
    // Shadow memory has only the last one, unless additions may come in any order.
    const needsAll = this.determinacy?.isDoubtful === false || this.options.words !== undefined;
    if (chain !== undefined) group.sees(thread, needsAll ? chain : [chain.last]);
  }

  /**
   * The thread has waited for a write, or decides by an atomic that has read it. GPUs begin no
   * later store of the thread before that has ended, and the loads before the write have ended too.
   */
  #seesOver(group: GroupClocks, thread: number, word: SyncWord | undefined): void {
    this.leansOnHardware = true;
    group.learnsOver(thread, word?.over);
  }

  /** True if a volatile load acquires. On GPUs no later access begins before it has ended. */
  #acquiresOnGpus({ volatile = false }: WatchedSite): boolean {
    this.leansOnHardware ||= volatile;
    return volatile && this.#lines !== undefined;
  }

  /** Handles a plain store of a whole line. In the order of GPUs, a wait may see it. */
  storeLine(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number): void {
    group.stamp++;
    const id = group.fresh(thread, site, WHOLE_WORD);
    this.accesses.write(group, thread, shadow, address, LINE, site, id);
    this.#lines?.stored(group, thread, shadow, address, id);
    group.stamp++;
  }

  /** Handles a wait that reads a whole line, or a word. */
  polledLine(group: GroupClocks, thread: number, shadow: Shadow, address: number, bytes: number): void {
    this.flagStores.polled(group.whoBase + thread, shadow, address, bytes);
    this.#lines?.polled(group, thread, shadow, address, bytes);
  }

  /** Handles a strong write. */
  store(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number): void {
    const { bytes, access } = this.#site(group, site);
    if (access === undefined) {
      this.accesses.write(group, thread, shadow, address, bytes, site);
      return;
    }
    const width = scopeWidth(access.scope);
    if (access.order === 'seq_cst') this.#fence(group, thread, 'seq_cst', width, false);
    const beside = this.#beside(group, thread, this.#words.logged(shadow, address, bytes), stores);
    const how = { width: releasing[access.order] ? width : PLAIN, change: stores, beside };
    this.#write(group, thread, shadow, address, site, how);
  }

  /** Handles a read-modify-write that writes. A compare-and-swap that fails is a `load`. */
  update(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number): void {
    const watched = this.#site(group, site);
    const { bytes, access } = watched;
    if (access === undefined) throw new RangeError('an update that has no memory order');
    const width = scopeWidth(access.scope);
    if (access.order === 'seq_cst') this.#fence(group, thread, 'seq_cst', width, false);
    group.onGpus.cached.acquires(access.order, width);
    const change = changeOf(watched);
    const beside = this.#beside(group, thread, this.#words.logged(shadow, address, bytes), change);
    // Two additions may come in either order, so what one of them learns from the other does not
    // count.
    const isFree = beside !== undefined && !beside.isEmpty;
    const taking = { takes: undefined, acquires: acquiring[access.order], width };
    const word = isFree ? this.#words.at(shadow, address) : this.#take(group, thread, shadow, address, site, taking);
    this.accesses.read(group, thread, shadow, address, bytes, site);
    if (!isFree) this.#sees(group, thread, word?.seen);
    if (decides(watched)) this.#seesOver(group, thread, word);
    const release = releasing[access.order] ? width : PLAIN;
    this.#write(group, thread, shadow, address, site, { width: release, change, chain: word, beside });
  }

  fence(group: GroupClocks, thread: number, order: MemoryOrder, width: ScopeWidth): void {
    this.leansOnHardware = true;
    this.#fence(group, thread, order, width, true);
  }

  /** `settles`: the fence completes outstanding network requests. That of an access does not. */
  #fence(group: GroupClocks, thread: number, order: MemoryOrder, width: ScopeWidth, settles: boolean): void {
    group.onGpus.cached.acquires(order, width);
    if (acquiring[order]) group.fenceAcquires(thread, width, settles);
    // An order that differs between runs does not count if one run represents all.
    if (order === 'seq_cst') this.determinacy?.sequences(group.agent);
    if (order === 'seq_cst' && this.determinacy === undefined) {
      this.#fences.add(group, thread, width);
      this.#fences.leave(group, width, group.snapshot(thread));
    }
    if (releasing[order]) group.fenced(thread, width);
  }

  /** Makes the thread's writes through multicast addresses readable through others. */
  fenceProxy(group: GroupClocks, thread: number): void {
    if (this.accesses.crosses) group.fabricAcquires('async to async');
    group.fenceProxy(thread, this.accesses.crosses);
  }

  /**
   * Handles a change of a word by the network, which adds to earlier changes or sets it. Every
   * reader gets `consumed`, but only a thread that settles with the network gets `settled`.
   */
  signal(group: GroupClocks, address: number, site: number, changes: NetworkChange): void {
    const bytes = 8;
    const change = changeByNetwork(group, changes);
    const known = changes.sets === true ? undefined : this.#words.at(this.shadow, address);
    const clocks = { acquired: changes.acquired, always: changes.consumed, settled: changes.settled };
    const logged = this.#words.logged(this.shadow, address, bytes);
    const beside = this.#beside(group, 0, logged, change);
    const copied = (settled: NetworkChange['settled']): readonly Published[] =>
      this.determinacy === undefined ? [] : publishedClocks(group, { ...clocks, settled }, (clock) => clock.clone());
    const [alone, needed] = [copied(changes.settled), copied(changes.matters ?? changes.settled)];
    continueChanges(clocks, known?.published);
    const id = group.fresh(0, site, WHOLE_WORD);
    this.accesses.write(group, 0, this.shadow, address, bytes, site, id);
    const name = this.options.least?.nameOfChange(() => this.addAgent({ kind: 'host', rank: -1 }).index);
    const [over, seen] = [overOfChange(changes, known?.over), name && UpdateChain.of(name)];
    const published = publishedClocks(group, clocks, (clock) => clock);
    const word = { address, bytes, id, published, releases: [], before: beforeChange(group, clocks), seen, over };
    this.#words.of(this.shadow).set(word);
    if (name !== undefined) this.options.least?.wrote(logged, word, name.who, name.stamp);
    if (beside === undefined) return;
    const write = {
      ...change,
      stamp: group.stamp,
      alone: { ...word, published: alone },
      whole: word,
      request: changes.request,
      posted: changes.posted,
      needed,
    };
    const free = changes.inOrder === true ? besideOthers(beside, group.whoBase) : beside;
    this.determinacy?.wrote(group, 0, { shadow: this.shadow, address, bytes, epoch: id }, write, free);
  }

  /** Settles with the network the signals at a word that the thread has read. */
  settle(group: GroupClocks, thread: number, address: number): void {
    group.claim(thread, SYSTEM, address, true);
    group.missed.acquiredBy(thread);
  }

  #site(group: GroupClocks, site: number): WatchedSite {
    const found = this.sites[group.siteBase + site];
    if (found === undefined) throw new RangeError(`no place ${site}`);
    return found;
  }

  /** Handles a strong write that continues the release sequence of `chain`. */
  #write(
    group: GroupClocks,
    thread: number,
    shadow: Shadow,
    address: number,
    site: number,
    { width, change, chain, beside }: StrongWrite,
  ): void {
    const { bytes } = this.#site(group, site);
    const mask = maskOf(address, bytes);
    const words = this.#words.of(shadow);
    const known = words.at(address);
    const by = group.coordinates(thread);
    const before = group.peek(thread);
    // A separate stamp, so that others can be ordered after this write alone.
    group.stamp++;
    let releases = known?.bytes === bytes ? known.releases : [];
    // The thread's earlier releases at the word continue with this write.
    let own: readonly Published[] = releases.filter((one) => one.by.cta === by.cta && one.by.thread === by.thread);
    if (width !== PLAIN) {
      // The write itself is released too, because a reader may see a later write.
      const release = { snapshot: { ...before, bound: group.stamp + 1 }, width, by };
      releases = newest([release], releases);
      own = newest([release], own);
    }
    const delivered = shadow === this.shadow ? this.options.delivered?.(group, thread, address) : undefined;
    const ordered = newest(group.fences(thread), own);
    const released = [...newest(ordered, group.passed(thread)), ...deliveredBy(group, delivered)];
    const alone = beside === undefined ? released : [...released, ...waitsBefore(this.determinacy, group, thread)];
    const published = newest(alone, chain?.published ?? []);
    const id = group.fresh(thread, site, mask);
    const me = { who: group.whoBase + thread, stamp: group.stamp };
    const seen = UpdateChain.of(me, chain?.seen);
    const updated = (): EpochId | undefined =>
      chain?.reads ?? ownStore(shadow.writesAt(address), me.who, bytes, this.epochs, this.#table);
    const reads = change.kind === 'store' ? undefined : updated();
    this.accesses.write(group, thread, shadow, address, bytes, site, id);
    group.stamp++;
    const over = this.isOnHardware ? group.over(thread, before, chain?.over) : undefined;
    const word = { address, bytes, id, published, releases, before, seen, reads, over };
    words.set(word);
    this.options.least?.wrote({ shadow, address, bytes, epoch: id }, word, me.who, me.stamp);
    if (beside === undefined) return;
    const write = {
      ...me,
      ...change,
      alone: { ...word, published: alone, seen: UpdateChain.of(me) },
      whole: word,
      needed: alone,
    };
    this.determinacy?.wrote(group, thread, { shadow, address, bytes, epoch: id }, write, beside);
  }

  /** Handles a strong write before it happens. Returns the versions that it may precede. */
  #beside(group: GroupClocks, thread: number, logged: LoggedWord, change: LoggedChange): Beside | undefined {
    this.options.least?.writes(logged);
    return this.determinacy?.writes(group, thread, logged, change);
  }

  /**
   * Reads from a strong write, if there is one. Returns the write if it and the read are morally
   * strong. Its published events then precede an acquiring read, and the write precedes the
   * thread's later events.
   */
  #observe(
    group: GroupClocks,
    thread: number,
    word: SyncWord | undefined,
    address: number,
    site: number,
    { acquires, width }: Pick<Taking, 'acquires' | 'width'>,
  ): SyncWord | undefined {
    const { bytes } = this.#site(group, site);
    // This also acquires the thread's earlier reads of the word, whatever its current contents.
    if (acquires && (word === undefined || word.bytes === bytes)) group.claim(thread, width, address);
    if (word === undefined) return undefined;
    this.leansOnHardware ||= acquires && word.published.length > 0;
    const who = at(this.epochs.who, word.id);
    const writer = writerOf(this.agent(agentOf(who)), who);
    const me = group.coordinates(thread);
    const isOwn = writer.cta === me.cta && writer.thread === me.thread;
    const reach = widthOf(at(this.#table.widths, at(this.epochs.site, word.id)));
    const reaches = reachEachOther(width, me, reach, writer);
    const misses = word.bytes !== bytes ? 'strong' : isOwn || reaches ? undefined : 'scope';
    if (misses !== undefined || !isOwn || acquires) {
      const { id: writeId, before, published } = word;
      const read = { reader: thread, readSite: group.siteBase + site };
      group.missed.add({ misses, acquires, published, writeId, before, ...read });
    }
    if (misses !== undefined) return undefined;
    if (this.isOnHardware && decides(this.#site(group, site))) group.decidesBy(thread, width, word.published);
    const now = word.published.filter(({ got }) => got === 'always' || (acquires && got !== 'settled'));
    const later = word.published.filter((one) => !now.includes(one));
    // A fence of a wider scope may still acquire what is outside this read's scope.
    group.postpone(thread, address, [...later, ...group.acquire(thread, width, now)]);
    return word;
  }

  #raced(group: GroupClocks, thread: number, site: number, before: EpochId, shadow: Shadow, address: number): void {
    const watched = this.#site(group, site);
    const other = this.sites[at(this.epochs.site, before)];
    if (watched.polls === true && isFirstWrite(shadow, address, before)) return;
    if (other !== undefined) {
      const past = seenAt(before, this.epochs);
      const agents = { now: this.agent(group.agent), before: this.agent(agentOf(past.who)) };
      const now = { site: group.siteBase + site, who: group.whoBase + thread };
      const isFlag = this.flagStores.races(this.sites, now, past, { shadow, address });
      this.leansOnHardware ||= isFlag || mayDependOnHardware(watched, other, agents);
      if (this.isOnHardware && isOrderedByHardware(group, thread, watched, other, past, agents)) {
        if (other.kind === 'load' && agents.before.kind === 'cta' && other.polls !== true) this.options.onOver?.(past);
        return;
      }
      if (this.#lines?.arrived.precedes(group, thread, past, shadow, address) === true) return;
    }
    const word = this.#words.at(shadow, address);
    if (word?.reads === before && isBefore(group, thread, seenAt(word.id, this.epochs))) return;
    const log: LoggedWord = { shadow, address, bytes: watched.bytes, epoch: before };
    if (!this.#isPassing && this.determinacy?.maySee(group, thread, log) === true) return;
    this.reports(group, thread, site, before, shadow, address);
  }

  /** Reports a race with an earlier access. */
  reports(group: GroupClocks, thread: number, site: number, before: EpochId, shadow: Shadow, address: number): void {
    const known = this.options.reportLevel?.('race', group.siteBase + site, at(this.epochs.site, before)) ?? 'nothing';
    if (known === 'enough') return;
    const raced = { group, thread, site, before, shadow, address, bytes: this.#site(group, site).bytes };
    this.options.onSeen(raceOf(raced, this.#explaining, known === 'nothing'), shadow);
  }
}
