import type { MemoryOrder } from '@nccl-ts/core';
import { at } from '../at.ts';
import { includes, PLAIN, scopeWidth, widthOf, type Place, type ScopeWidth } from '../scope.ts';
import { Accesses, type AccessListener } from './accesses.ts';
import type { Agent, AgentInit } from './agent.ts';
import { agentOf, Clock, joinSnapshot, threadOf } from './clock.ts';
import type { Determinacy, LoggedWord } from './determinacy.ts';
import { Epochs, WHOLE_WORD, type EpochId } from './epochs.ts';
import { explainRace } from './explain.ts';
import { FenceOrder } from './fence-order.ts';
import { HardwareLines, isPolledLine } from './hardware-lines.ts';
import { GroupClocks, type MissedEdge } from './group-clocks.ts';
import { adds, changeOf, stores, type LoggedChange } from './logged-change.ts';
import type { LeastReads } from './least-reads.ts';
import { publishedBy, publishedClocks, type NetworkChange } from './network-change.ts';
import { newest, type Published } from './published.ts';
import type { Seen, SeenAccess, ToldOf } from './race.ts';
import { acquiring, releasing } from './orders.ts';
import { PAGE_WORDS, pieces, Shadow } from './shadow.ts';
import { SiteColumns } from './site-columns.ts';
import { StrongWords } from './strong-words.ts';
import type { SyncWord } from './sync-words.ts';
import type { WatchedSite } from './watched-site.ts';
import type { Want } from './want.ts';
import type { Version } from './word-log.ts';

export interface HappensBeforeOptions {
  /** Told of everything that is wrong: the same pair of places again and again where it happens again. */
  readonly onSeen: (seen: Seen, shadow: Shadow) => void;
  /** Asked before `onSeen` is told. Absent: nothing has been told of any pair. */
  readonly told?: ToldOf | undefined;
  /** Keeps account of whether there are other runs. Then reads of waits are ordered behind as little as lets them pass. */
  readonly determinacy?: Determinacy | undefined;
  /** Where nobody counts: finds the oldest values by which waits pass. Absent: waits have read what was there when they passed. */
  readonly least?: LeastReads | undefined;
  /**
   * Whether what GPUs order beyond the memory model counts: fences before a meeting of the CTA release for all that met, volatile
   * loads acquire, and a wait sees a line of 16 bytes whole.
   *
   * @default false
   */
  readonly hardware?: boolean | undefined;
}

/** How many writes of a chain of read-modify-writes are remembered one by one. */
const SEEN = 255;

/** How a strong write is made. */
interface StrongWrite {
  /** How far it releases; not at all where it is plain. */
  readonly width: ScopeWidth;
  readonly change: LoggedChange;
  /** Of a read-modify-write: what it reads. */
  readonly chain?: SyncWord | undefined;
  /** Writes that it may come before as well; absent where nobody asks. */
  readonly beside?: ReadonlySet<Version> | undefined;
}

/** How a word is read. */
interface Taking {
  /** What is read; absent: what is there. */
  readonly takes: readonly SyncWord[] | undefined;
  readonly acquires: boolean;
  readonly width: ScopeWidth;
}

/** Which accesses are ordered by what the program declares, and which race. One for a world; `shadow` is of its memory. */
export class HappensBefore {
  readonly epochs: Epochs = new Epochs();
  readonly shadow: Shadow = new Shadow();
  readonly accesses: Accesses;
  readonly #words = new StrongWords();
  readonly sites: WatchedSite[] = [];
  readonly #fences = new FenceOrder();
  readonly #agents: Agent[] = [];
  readonly #table = new SiteColumns();
  readonly #options: HappensBeforeOptions;
  /** Where what GPUs order counts: their lines. */
  readonly #lines: HardwareLines | undefined;
  /** Whether anything happened that GPUs order further than the memory model does. */
  leansOnHardware = false;
  /** Whether what is read just now is what a wait passes by. */
  #isPassing = false;

  constructor(options: HappensBeforeOptions) {
    this.#options = options;
    this.#lines = options.hardware === true ? new HardwareLines() : undefined;
    const listener: AccessListener = {
      raced: (group, thread, site, before, shadow, address) =>
        this.#raced(group, thread, site, before, shadow, address),
      unwritten: (group, thread, site, shadow, address) => {
        if (this.agent(group.agent).kind !== 'cta') return;
        if (options.told?.('uninitialised', group.siteBase + site, 0) === 'enough') return;
        const now = this.#now(group, thread, site);
        options.onSeen({ kind: 'uninitialised', now, address, bytes: 4 }, shadow);
      },
      mixed: (group, thread, site, before, shadow, address) => {
        if (options.told?.('proxy', group.siteBase + site, at(this.epochs.site, before)) === 'enough') return;
        const seen = { now: this.#now(group, thread, site), before: this.#access(before), address, bytes: 4 };
        options.onSeen({ kind: 'proxy', ...seen }, shadow);
      },
    };
    this.accesses = new Accesses(this.epochs, this.#table, listener, (agent) => this.agent(agent));
    // What was there from the beginning: agent 0 is before everybody.
    this.addAgent({ kind: 'host', rank: -1 });
    options.determinacy?.begin(() => this.addAgent({ kind: 'host', rank: -1 }).index);
  }

  /** Who keeps account of whether there are other runs. */
  get determinacy(): Determinacy | undefined {
    return this.#options.determinacy;
  }

  /** Whether it makes a difference by which reads waits pass: then `passes` is to be told of them. */
  get asksForWaits(): boolean {
    return this.#options.determinacy !== undefined || this.#options.least !== undefined;
  }

  addAgent(init: AgentInit): Agent {
    if (init.kind === 'network') this.#options.determinacy?.seesNetwork();
    const index = this.#agents.length;
    const agent: Agent = { ...init, index, cta: index, stamp: 1, met: [] };
    this.#agents.push(agent);
    return agent;
  }

  agent(index: number): Agent {
    const agent = this.#agents[index];
    if (agent === undefined) throw new RangeError(`no agent ${index}`);
    return agent;
  }

  /** Takes the places of one more program in; answers the number of the first. */
  addSites(sites: readonly WatchedSite[]): number {
    const base = this.sites.length;
    this.#table.add(sites);
    this.sites.push(...sites);
    return base;
  }

  /** A group that goes on where its agent's last one ended. `begin` is what is ordered before it. */
  open(agent: Agent, threads: number, begin: Clock, siteBase: number, sites = 0): GroupClocks {
    begin.raise(0, 2);
    const { epochs } = this;
    const { index, rank, cta, stamp, kind, domain, met } = agent;
    const inOrder = kind !== 'network';
    const who = { agent: index, rank, cta, domain, threads, stamp, met };
    const sharesFences = this.#lines !== undefined;
    return new GroupClocks({ ...who, epochs, begin, siteBase, sites, inOrder, sharesFences });
  }

  /** The group is at its end: what it did and knew is ordered before whoever gets `clock`. */
  close(group: GroupClocks, clock: Clock): void {
    group.end(clock);
    this.agent(group.agent).stamp = group.stamp;
  }

  /** The bytes are there from the beginning. */
  given(low: number, high: number): void {
    this.shadow.begin(low, high, this.#initial);
  }

  /** Who wrote the word at `address` last: several where nothing orders them. */
  lastWrites(address: number): readonly SeenAccess[] {
    const word = address >>> 2;
    const page = this.shadow.pages[Math.floor(word / PAGE_WORDS)];
    return this.shadow
      .epochs(page?.writes[word % PAGE_WORDS] ?? 0)
      .flatMap((id) => (id === this.#initialId ? [] : [this.#access(id)]));
  }

  #initialId = 0;

  get #initial(): EpochId {
    if (this.#initialId === 0) this.#initialId = this.epochs.add(0, 1, 0, WHOLE_WORD);
    return this.#initialId;
  }

  /** Visits the epochs by which words of strong writes are remembered. */
  eachWordEpoch(visit: (id: EpochId) => void): void {
    for (const { id } of this.#words.of(this.shadow).all()) visit(id);
    this.#options.least?.eachEpoch(visit);
  }

  /** Nobody has written the bytes: they are new, or somebody else's. */
  forget(low: number, high: number): void {
    this.#options.determinacy?.forget(this.shadow, low, high);
    this.#options.least?.forget(this.shadow, low, high);
    this.shadow.clear(low, high);
    this.#words.of(this.shadow).clear(low, high);
  }

  /** The bytes in `[low, high)` are read, or written, at once, wherever they begin. */
  readRange(group: GroupClocks, shadow: Shadow, low: number, high: number, site: number): void {
    pieces(low, high, (address, bytes) => this.accesses.read(group, 0, shadow, address, bytes, site));
  }

  writeRange(group: GroupClocks, shadow: Shadow, low: number, high: number, site: number): void {
    pieces(low, high, (address, bytes) => this.accesses.write(group, 0, shadow, address, bytes, site));
  }

  /** A strong read of a whole word. */
  load(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number): void {
    const watched = this.#site(group, site);
    const { bytes, access, usedAt } = watched;
    if (access === undefined) {
      this.accesses.read(group, thread, shadow, address, bytes, site);
      return;
    }
    const width = scopeWidth(access.scope);
    if (access.order === 'seq_cst') this.#fence(group, thread, 'seq_cst', width, false);
    const acquires = acquiring[access.order] || this.#acquiresOnGpus(watched);
    const { determinacy } = this.#options;
    const how = { acquires: acquires ? width : undefined, usedAt };
    const takes = determinacy?.loads(group, thread, this.#words.logged(shadow, address, bytes), how);
    const word = this.#take(group, thread, shadow, address, site, { takes, acquires, width });
    this.accesses.read(group, thread, shadow, address, bytes, site);
    if (takes === undefined) group.sees(thread, word?.seen);
    if (watched.polls === true) this.polledLine(group, thread, shadow, address);
  }

  /** Reads these words or, where none are given, what is there; answers the last. */
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
      last = this.#observe(group, thread, word, address, site, acquires, width);
    return last;
  }

  /** A strong read by which a wait passes, or gives up. */
  passes(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number, want: Want): void {
    const watched = this.#site(group, site);
    const { bytes, access } = watched;
    const { determinacy, least } = this.#options;
    const logged = this.#words.logged(shadow, address, bytes);
    const older = access === undefined ? undefined : least?.least(group, thread, logged, want);
    if (access === undefined || (determinacy === undefined && older === undefined)) {
      this.load(group, thread, shadow, address, site);
      return;
    }
    const width = scopeWidth(access.scope);
    if (access.order === 'seq_cst') this.#fence(group, thread, 'seq_cst', width, false);
    const acquires = acquiring[access.order] || this.#acquiresOnGpus(watched);
    if (determinacy === undefined) {
      const takes = older?.word === undefined ? [] : [older.word];
      const word = this.#take(group, thread, shadow, address, site, { takes, acquires, width });
      this.accesses.read(group, thread, shadow, address, bytes, site);
      group.sees(thread, word?.seen);
      this.polledLine(group, thread, shadow, address);
      return;
    }
    const { takes, sees } = determinacy.passes(group, thread, logged, acquires ? width : undefined, want);
    const last = this.#take(group, thread, shadow, address, site, { takes, acquires, width });
    this.#isPassing = true;
    this.accesses.read(group, thread, shadow, address, bytes, site);
    this.#isPassing = false;
    if (sees) group.sees(thread, last?.seen);
    this.polledLine(group, thread, shadow, address);
  }

  /** Whether a volatile load acquires: on GPUs nothing that comes after it begins before it has ended. */
  #acquiresOnGpus({ volatile = false }: WatchedSite): boolean {
    this.leansOnHardware ||= volatile;
    return volatile && this.#lines !== undefined;
  }

  /** A plain store of a whole line, where what GPUs order counts: a wait may see it, and nothing else that the thread does. */
  storeLine(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number): void {
    const { bytes } = this.#site(group, site);
    group.stamp++;
    const id = group.fresh(thread, site, WHOLE_WORD);
    const me = { who: group.whoBase + thread, stamp: group.stamp };
    this.accesses.write(group, thread, shadow, address, bytes, site, id);
    group.stamp++;
    this.#lines?.stored(shadow, address, { id, ...me, begin: group.beginning });
  }

  /** A wait reads what a plain store of a whole line may have written. */
  polledLine(group: GroupClocks, thread: number, shadow: Shadow, address: number): void {
    if (this.#lines === undefined) return;
    const word = address >>> 2;
    const page = shadow.pages[Math.floor(word / PAGE_WORDS)];
    const cell = page?.writes[word % PAGE_WORDS];
    if (cell !== undefined && cell !== 0) this.#lines.polled(group, thread, shadow, address, shadow.epochs(cell));
  }

  /** Whether what GPUs order beyond the memory model counts. */
  get isOnHardware(): boolean {
    return this.#lines !== undefined;
  }

  /** A strong write. */
  store(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number): void {
    const { bytes, access } = this.#site(group, site);
    if (access === undefined) {
      this.accesses.write(group, thread, shadow, address, bytes, site);
      return;
    }
    const width = scopeWidth(access.scope);
    if (access.order === 'seq_cst') this.#fence(group, thread, 'seq_cst', width, false);
    const beside = this.#beside(group, thread, this.#words.logged(shadow, address, bytes), stores);
    const release = releasing[access.order] ? width : PLAIN;
    this.#write(group, thread, shadow, address, site, { width: release, change: stores, beside });
  }

  /** A read-modify-write that writes; a compare-and-swap that fails is a `load`. */
  update(group: GroupClocks, thread: number, shadow: Shadow, address: number, site: number): void {
    const watched = this.#site(group, site);
    const { bytes, access } = watched;
    if (access === undefined) throw new RangeError('an update without an order');
    const width = scopeWidth(access.scope);
    if (access.order === 'seq_cst') this.#fence(group, thread, 'seq_cst', width, false);
    const change = changeOf(watched);
    const beside = this.#beside(group, thread, this.#words.logged(shadow, address, bytes), change);
    // Which of two that add comes first is chance: what one of them knows by it does not count.
    const isFree = beside !== undefined && beside.size > 0;
    const word = isFree
      ? this.#words.at(shadow, address)
      : this.#take(group, thread, shadow, address, site, {
          takes: undefined,
          acquires: acquiring[access.order],
          width,
        });
    this.accesses.read(group, thread, shadow, address, bytes, site);
    if (!isFree) group.sees(thread, word?.seen);
    const release = releasing[access.order] ? width : PLAIN;
    this.#write(group, thread, shadow, address, site, { width: release, change, chain: word, beside });
  }

  fence(group: GroupClocks, thread: number, order: MemoryOrder, width: ScopeWidth): void {
    this.leansOnHardware = true;
    this.#fence(group, thread, order, width, true);
  }

  /** `settles`: what the network owes is there afterwards. It looks at fences, and not at those that accesses bring. */
  #fence(group: GroupClocks, thread: number, order: MemoryOrder, width: ScopeWidth, settles: boolean): void {
    if (acquiring[order]) group.fenceAcquires(thread, width, settles);
    // What is ordered by chance alone does not count where one run is to stand for all.
    if (order === 'seq_cst') this.determinacy?.sequences(group.agent);
    if (order === 'seq_cst' && this.determinacy === undefined) {
      this.#fences.enter(group, thread, width);
      this.#fences.leave(group, width, group.snapshot(thread));
    }
    if (releasing[order]) group.fenced(thread, width);
  }

  /** What the thread wrote through multicast addresses may be read through others from now on. */
  fenceProxy(group: GroupClocks, thread: number): void {
    group.fenceProxy(thread);
  }

  /**
   * The network changes a word: it publishes to everybody, beside what earlier changes of it published. What is `consumed` is over
   * for whoever reads the word, with acquire order or without; what is `settled` is there only for who asks the network for it.
   */
  signal(group: GroupClocks, address: number, site: number, changes: NetworkChange): void {
    const bytes = 8;
    const earlier = this.#words.at(this.shadow, address)?.published ?? [];
    const clocks = { acquired: changes.acquired, always: changes.consumed, settled: changes.settled };
    const { determinacy } = this.#options;
    const logged = this.#words.logged(this.shadow, address, bytes);
    const beside = this.#beside(group, 0, logged, adds);
    const alone = determinacy === undefined ? [] : publishedClocks(group, clocks, (clock) => clock.clone());
    const { matters = changes.settled } = changes;
    const needed =
      determinacy === undefined
        ? []
        : publishedClocks(group, { ...clocks, settled: matters }, (clock) => clock.clone());
    for (const { snapshot, got = 'acquired' } of earlier) joinSnapshot((clocks[got] ??= new Clock(0)), snapshot);
    const before = new Clock(0);
    for (const clock of Object.values(clocks)) if (clock !== undefined) before.join(clock);
    const published = publishedClocks(group, clocks, (clock) => clock);
    before.shared = true;
    const snapshot = { base: before, extra: undefined, who: group.whoBase, bound: 0 };
    const id = group.fresh(0, site, WHOLE_WORD);
    this.accesses.write(group, 0, this.shadow, address, bytes, site, id);
    const name = this.#options.least?.nameOfChange(() => this.addAgent({ kind: 'host', rank: -1 }).index);
    const seen = name === undefined ? [] : [name];
    const word = { address, bytes, id, published, releases: [], before: snapshot, seen };
    this.#words.of(this.shadow).set(word);
    for (const { who, stamp } of seen) this.#options.least?.wrote(logged, word, who, stamp);
    if (beside === undefined) return;
    const write = {
      ...adds,
      who: group.whoBase,
      stamp: group.stamp,
      alone: { ...word, published: alone },
      whole: word,
      request: changes.request,
      posted: changes.posted,
      needed,
    };
    const free = changes.inOrder === true ? [...beside].filter(({ who }) => who !== group.whoBase) : beside;
    determinacy?.wrote(group, 0, { shadow: this.shadow, address, bytes, epoch: id }, write, new Set(free));
  }

  /** The thread asks the network for what the signals at a word stand for, which it has read. */
  settle(group: GroupClocks, thread: number, address: number): void {
    group.claim(thread, 4, address, true);
    for (const edge of group.missed) if (edge.reader === thread) edge.acquires = true;
  }

  /** Whether a thread waits by the load at a place. */
  polls(group: GroupClocks, site: number): boolean {
    return this.#site(group, site).polls === true;
  }

  #site(group: GroupClocks, site: number): WatchedSite {
    const found = this.sites[group.siteBase + site];
    if (found === undefined) throw new RangeError(`no place ${site}`);
    return found;
  }

  /** A strong write, which goes on with what `chain` published. */
  #write(
    group: GroupClocks,
    thread: number,
    shadow: Shadow,
    address: number,
    site: number,
    { width, change, chain, beside }: StrongWrite,
  ): void {
    const { bytes } = this.#site(group, site);
    const mask = bytes >= 4 ? WHOLE_WORD : ((1 << bytes) - 1) << (address & 3);
    const words = this.#words.of(shadow);
    const known = words.at(address);
    const by = group.place(thread);
    const before = group.peek(thread);
    // A stamp of its own, so that others can be after this write alone.
    group.stamp++;
    let releases = known?.bytes === bytes ? known.releases : [];
    // What the thread has released at the word goes on with this write, whoever wrote there in between.
    let own: readonly Published[] = releases.filter((one) => one.by.cta === by.cta && one.by.thread === by.thread);
    if (width !== PLAIN) {
      // The write itself is released too: a later one may be what is seen.
      const release = { snapshot: { ...before, bound: group.stamp + 1 }, width, by };
      releases = newest([release], releases);
      own = newest([release], own);
    }
    const released = newest(group.fences(thread), own);
    const alone = beside === undefined ? released : [...released, ...this.#waitsBefore(group, thread)];
    const published = newest(alone, chain?.published ?? []);
    const id = group.fresh(thread, site, mask);
    const me = { who: group.whoBase + thread, stamp: group.stamp };
    const seen = [...(chain?.seen ?? []).slice(-SEEN), me];
    this.accesses.write(group, thread, shadow, address, bytes, site, id);
    group.stamp++;
    const word = { address, bytes, id, published, releases, before, seen };
    words.set(word);
    this.#options.least?.wrote({ shadow, address, bytes, epoch: id }, word, me.who, me.stamp);
    if (beside === undefined) return;
    const write = { ...me, ...change, alone: { ...word, published: alone, seen: [me] }, whole: word, needed: alone };
    this.#options.determinacy?.wrote(group, thread, { shadow, address, bytes, epoch: id }, write, beside);
  }

  /** A strong write is about to be made; answers the versions that it may come before as well, where somebody counts. */
  #beside(
    group: GroupClocks,
    thread: number,
    logged: LoggedWord,
    change: LoggedChange,
  ): ReadonlySet<Version> | undefined {
    this.#options.least?.writes(logged);
    return this.#options.determinacy?.writes(group, thread, logged, change);
  }

  /** What whoever reads a write of the thread knows in any case, where somebody counts: which waits were passed. */
  #waitsBefore(group: GroupClocks, thread: number): readonly Published[] {
    const waits = this.#options.determinacy?.waitsBefore(group, thread);
    return waits === undefined || waits.parts.size === 0 ? [] : [publishedBy(group, waits, 'always')];
  }

  /**
   * Reads from a strong write, or none; answers it, where the two are strong for each other. What it published is before the read
   * itself, if that acquires; the write is before what the thread does after the read.
   */
  #observe(
    group: GroupClocks,
    thread: number,
    word: SyncWord | undefined,
    address: number,
    site: number,
    acquires: boolean,
    width: ScopeWidth,
  ): SyncWord | undefined {
    const { bytes } = this.#site(group, site);
    // What the thread has read there before is acquired with it, whatever is there now.
    if (acquires && (word === undefined || word.bytes === bytes)) group.claim(thread, width, address);
    if (word === undefined) return undefined;
    const writer = this.#placeOfEpoch(word.id);
    const me = group.place(thread);
    const isOwn = writer.cta === me.cta && writer.thread === me.thread;
    const reach = at(this.#table.widths, at(this.epochs.site, word.id));
    const miss = (misses?: MissedEdge['misses']): void => {
      const { id: writeId, before, published } = word;
      group.miss({ misses, acquires, published, reader: thread, readSite: group.siteBase + site, writeId, before });
    };
    if (word.bytes !== bytes) {
      miss('strong');
      return undefined;
    }
    if (!isOwn && (!includes(width, me, writer) || !includes(widthOf(reach), writer, me))) {
      miss('scope');
      return undefined;
    }
    if (!isOwn || acquires) miss();
    const now = word.published.filter(({ got }) => got === 'always' || (acquires && got !== 'settled'));
    const later = word.published.filter((one) => !now.includes(one));
    // A fence of a wider scope may still get what is out of this read's reach.
    group.postpone(thread, address, [...later, ...group.acquire(thread, width, now)]);
    return word;
  }

  #raced(group: GroupClocks, thread: number, site: number, before: EpochId, shadow: Shadow, address: number): void {
    const watched = this.#site(group, site);
    const { bytes } = watched;
    const other = this.sites[at(this.epochs.site, before)];
    if (other !== undefined && isPolledLine(watched, other)) {
      this.leansOnHardware = true;
      if (this.isOnHardware) return;
    }
    const write = { shadow, address, bytes, epoch: before };
    if (!this.#isPassing && this.determinacy?.maySee(group, thread, write) === true) return;
    const known = this.#options.told?.('race', group.siteBase + site, at(this.epochs.site, before)) ?? 'nothing';
    if (known === 'enough') return;
    const context = {
      epochs: this.epochs,
      sites: this.#table,
      placeOf: (agent: number) => this.agent(agent),
      metOf: (agent: number) => this.agent(agent).met,
    };
    const missing = known === 'nothing' ? explainRace(group, thread, site, before, context) : [];
    const now = this.#now(group, thread, site);
    this.#options.onSeen(
      { kind: 'race', now, before: this.#access(before), beforeId: before, address, bytes, missing },
      shadow,
    );
  }

  #now(group: GroupClocks, thread: number, site: number): SeenAccess {
    return { who: group.whoBase + thread, stamp: group.stamp, site: group.siteBase + site };
  }

  #access(id: EpochId): SeenAccess {
    const { who, stamp, site } = this.epochs;
    return { who: at(who, id), stamp: at(stamp, id), site: at(site, id) };
  }

  #placeOfEpoch(id: EpochId): Place {
    const who = at(this.epochs.who, id);
    const { rank, cta, domain } = this.agent(agentOf(who));
    return { rank, cta, domain, thread: threadOf(who) };
  }
}
