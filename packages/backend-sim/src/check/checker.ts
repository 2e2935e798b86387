import { at } from '@nccl-ts/core';
import {
  Approximations,
  findingKey,
  findingOfError,
  SpreadOf,
  wrongResultOf,
  type Finding,
  type FindingLabel,
  type ScheduleId,
  type WordHistory,
  type WrongResult,
} from '@nccl-ts/findings';
import type { SourceLocation } from '@nccl-ts/ir';
import type { CtaIdentity } from '@nccl-ts/transport';
import {
  Clock,
  Determinacy,
  EpochSweep,
  HappensBefore,
  LeastReads,
  type GroupClocks,
  wordOfKey,
  type PastAccess,
  type Race,
  type Seen,
  type SeenAccess,
  Shadow,
  type Snapshot,
  type ReportLevel,
  lastWritesAt,
} from '@nccl-ts/memory-model';
import { type CtaWatch, type HeapViews, ctaIndex } from '@nccl-ts/codegen';
import type { SimLaunch } from '../engine/launch.ts';
import type { SimStream } from '../engine/stream.ts';
import type { SimWindow } from '../memory/sim-window.ts';
import type { SimDevComm } from '../memory/sim-dev-comm.ts';
import { judgedFinding, type CountedFinding } from './counted-finding.ts';
import { CheckedCta } from './cta-watch.ts';
import { DispatchOrder } from './dispatch-order.ts';
import { FabricChecker } from './fabric-checker.ts';
import { Endings } from './endings.ts';
import { NetworkChecker } from './network-checker.ts';
import { LaunchScope } from './launch-scope.ts';
import { Outstanding } from './outstanding.ts';
import { CopyAgents } from './copy-agents.ts';
import { Participants } from './participants.ts';
import { Protocol } from './protocol.ts';
import { StoredValues, type OnHidden } from './stored-values.ts';
import { HostSites } from './host-sites.ts';
import { KernelSites } from './kernel-sites.ts';
import type { EarlierRun } from './earlier-run.ts';
import { UnusedLoads } from './unused-loads.ts';
import { pairKey } from './pair-key.ts';
import { WorldClusters } from './world-clusters.ts';
import { enqueuedClock, StreamOrder, type RunningLaunch } from './stream-order.ts';
import { storiesOf, wordAt, WorldWords } from './world-words.ts';
import { historyOfWord, type WaitingCta } from './story/history-of-word.ts';
import { RaceStories } from './story/race-stories.ts';
import type { WordStories } from './story/word-stories.ts';
import { bytesOf, seenFinding } from './seen-finding.ts';
import type { SeenLines } from './seen-lines.ts';
import type { CheckerOptions } from './checker-options.ts';
import { writtenResult } from './written-result.ts';

/** The number of sightings of a finding for which the participants are recorded. */
const SIGHTINGS = 4096;

/**
 * Watches a world: the memory accesses of kernels, the network and the host, and their order.
 * Kernels begin and end with a system-scope fence of all their threads. Launches of a stream follow
 * each other. A host program is a thread of its own, and calls in which all ranks take part
 * synchronize all hosts.
 */
export class Checker {
  readonly order: HappensBefore;
  readonly network: NetworkChecker;
  readonly fabric: FabricChecker;
  readonly endings: Endings;
  readonly scope: LaunchScope;
  readonly stories: WordStories;
  /** The executed constructs that are not modelled exactly. */
  readonly approximations: Approximations = new Approximations();
  readonly #protocol: Protocol;
  readonly #dispatch: DispatchOrder;
  readonly #options: CheckerOptions;
  readonly #participants = new Participants();
  readonly #kernels: KernelSites;
  readonly #hosts: readonly GroupClocks[];
  readonly #sweep: EpochSweep;
  readonly #hostSites: HostSites;
  /** By agent: the running threads. */
  readonly #threads = new Map<number, GroupClocks>();
  readonly #copies: CopyAgents;
  readonly #streams = new WeakMap<SimStream, StreamOrder>();
  readonly #enqueued = new WeakMap<SimLaunch, Snapshot>();
  readonly #running = new Map<SimLaunch, RunningLaunch>();
  readonly #found = new Map<string, CountedFinding>();
  /** Recognises races that cannot change a value. */
  readonly #values: StoredValues<CountedFinding>;
  readonly #unused: UnusedLoads<CountedFinding>;
  readonly #words: WorldWords;
  readonly #races: RaceStories;
  readonly #clusters: WorldClusters;
  /** These races, by kind and source locations. */
  readonly #pairs = new Map<number, CountedFinding>();

  constructor(options: CheckerOptions) {
    this.#options = options;
    this.scope = new LaunchScope(options.locate);
    this.#words = new WorldWords(options.views);
    this.stories = storiesOf(options, this.#words, () => this.order.epochs);
    const { onDeterminacy } = options;
    const valueAt = (shadow: Shadow, address: number, bytes: number): bigint | undefined =>
      shadow === this.order.shadow ? wordAt(options.views(), address, bytes) : undefined;
    const determinacy =
      onDeterminacy === undefined ? undefined : new Determinacy({ omits: options.omits?.(), valueAt });
    if (determinacy !== undefined) onDeterminacy?.(determinacy);
    // Even without `determinacy`, a wait is ordered only after the values that it needs.
    const least = determinacy === undefined ? new LeastReads({ valueAt }) : undefined;
    this.order = new HappensBefore({
      onSeen: (seen, shadow) => this.#see(seen, shadow),
      reportLevel: (kind, now, before) => this.#reportLevel(kind, now, before),
      determinacy,
      least,
      hardware: options.hardware,
      onOver: (load) => this.#unused.isOver(load, this),
      words: this.#words.remembered(options.earlier?.words),
      delivered: (group, thread, address) => this.network.delivered(group, thread, address),
    });
    this.#dispatch = new DispatchOrder(options.residentCtas, (why) => determinacy?.doubts(why));
    const onHidden: OnHidden<CountedFinding> = (of, now, before, word) => this.#hidden(of, now, before, word);
    this.#values = new StoredValues({
      order: this.order,
      valueOf: this.#words.valueOf,
      groupOf: (agent) =>
        this.#threads.get(agent) ?? this.#copies.groups.get(agent) ?? this.#hosts.find((host) => host.agent === agent),
      participants: this.#participants,
      onHidden,
    });
    this.#unused = new UnusedLoads(this.order);
    this.#kernels = new KernelSites({
      order: this.order,
      participants: this.#participants,
      scope: this.scope,
      followed: this.#unused.followed,
      hardware: options.hardware === true,
      earlier: options.earlier,
    });
    this.#sweep = new EpochSweep(this.order);
    this.#hostSites = new HostSites(this.order, this.#participants, options.earlier);
    this.#hostSites.of(undefined);
    this.#hosts = Array.from({ length: options.ranks }, (_, rank) => {
      const agent = this.order.addAgent({ kind: 'host', rank });
      this.#participants.addHost(agent.index, rank);
      return this.order.open(agent, 1, new Clock(0), 0);
    });
    const { locate, views } = options;
    const participants = this.#participants;
    const outstanding = new Outstanding((address) => at(views().u64, address / 8));
    const add = (key: string, make: (schedule: ScheduleId) => Finding): void => {
      this.add(key, () => make(this.schedule));
    };
    this.#clusters = new WorldClusters({ words: this.#words, participants, add });
    this.#protocol = new Protocol({ order: this.order, participants, outstanding, add, locate });
    const onVASignal = (address: number): void => this.#protocol.keeps(address);
    this.network = new NetworkChecker(this.order, participants, {
      outstanding,
      onVASignal,
      scope: this.scope,
      open: (agent) => this.#threads.get(agent),
      rankOf: (address) => locate(address)?.rank,
      stories: this.stories,
    });
    this.#races = new RaceStories({
      stories: this.stories,
      participants,
      posted: (one) => this.network.pointOf(one),
      target: (one) => this.network.targetOf(one),
    });
    this.#copies = new CopyAgents(this.order, this.#participants);
    this.fabric = new FabricChecker(this.order, participants, this.scope);
    this.endings = new Endings({
      order: this.order,
      participants,
      outstanding,
      wordAt: (address) => at(views().u32, address / 4),
      labelOf: (request) => this.network.labelOf(request),
      add,
      forget: (low, high) => {
        this.#protocol.forget(low, high);
        this.stories.forget(low, high);
      },
    });
  }

  /** Tells how a word of the heap came to its value. */
  historyOf(address: number, waiter: WaitingCta): WordHistory {
    const source = { stories: this.stories, participants: this.#participants, heap: this.order.shadow };
    return historyOfWord({ ...source, locate: this.#options.locate }, address, waiter);
  }

  /** Returns the schedule so far. */
  get schedule(): ScheduleId {
    return this.#options.schedule();
  }

  /** Returns the operations so far that were never waited for. There are none while kernels run. */
  leftovers(windows: readonly SimWindow[], devComms: readonly SimDevComm[]): readonly Finding[] {
    if (this.#running.size > 0) return [];
    const leftovers = this.endings.soFar(windows, devComms).filter(({ key }) => !this.#found.has(key));
    return leftovers.map(({ make }) => make(this.schedule));
  }

  /** Called when a launch, or everything that was stuck, has ended with an error. */
  failed(error: unknown): void {
    this.endings.brokenOff();
    const found = findingOfError(error, this.schedule);
    const wrong = wrongResultOf(error);
    const finding = found === undefined || wrong === undefined ? found : this.#withWriter(found, wrong.wrong);
    if (finding !== undefined) this.add(findingKey(finding), () => finding);
  }

  /** A wrong result, with the access that gave the element its value. */
  #withWriter(finding: Finding, { window, rank, offset }: WrongResult): Finding {
    const address = this.#options.addressOf(window, rank, offset);
    if (address === undefined) return finding;
    const [write] = lastWritesAt(this.order, address);
    const label = write === undefined ? undefined : this.#participants.label(write);
    return writtenResult(finding, label);
  }

  /** The facts of this run that a further one needs. */
  get seen(): EarlierRun {
    const names = (sites: ReadonlySet<number>): ReadonlySet<string> =>
      new Set([...sites].map((site) => this.#participants.siteName(site)));
    const [flagStores, loads] = [names(this.order.flagStores.sites), names(this.#unused.candidates)];
    return { words: this.#values.words, flagStores, loads };
  }

  /** Called before the world's memory goes: reads the words on which findings and proofs depend. */
  settle(): void {
    this.order.determinacy?.settle();
    if (this.#values.isOpen) this.#values.settle();
  }

  /** Returns the findings in the order of their detection. */
  get findings(): readonly CountedFinding[] {
    if (this.#values.isOpen) this.#values.settle();
    const found = [...this.#found.values()].filter((counted) => !this.#unused.isUnused(counted));
    return found.map((counted) => this.#races.told(judgedFinding(counted, this.#values.isSame(counted))));
  }

  add(key: string, make: () => Finding): CountedFinding {
    const known = this.#found.get(key);
    if (known !== undefined) {
      known.seen++;
      return known;
    }
    const finding = make();
    const spread = new SpreadOf(finding);
    spread.add(finding);
    const counted = { finding, seen: 1, spread };
    this.#found.set(key, counted);
    return counted;
  }

  /** Called when the host of the launch's rank enqueues it. */
  enqueues(launch: SimLaunch): void {
    this.#enqueued.set(launch, this.#host(launch.rank).snapshot(0));
    this.#dispatch.enqueued(launch);
    this.#participants.addLaunch(launch);
    this.scope.add({ ranks: this.#options.ranks, ctas: launch.ctas, threads: launch.blockThreads });
  }

  /** Called when a launch starts, after earlier work on its stream and of its host. */
  begins(launch: SimLaunch): { open(cta: CtaIdentity, shared?: HeapViews): CtaWatch } {
    const running: RunningLaunch = {
      siteBase: this.#kernels.baseOf(launch),
      sites: launch.code.sites.length,
      ordered: this.#streamOrder(launch.stream).begins(launch, enqueuedClock(this.#enqueued.get(launch))),
      open: new Set(),
    };
    this.#running.set(launch, running);
    return { open: (cta, shared) => this.#open(launch, running, cta, shared) };
  }

  /** Called when a launch has ended. */
  ends(launch: SimLaunch): void {
    const running = this.#running.get(launch);
    if (running === undefined) return;
    this.#running.delete(launch);
    for (const group of running.open) {
      this.#protocol.closed(group);
      this.order.close(group, running.ordered.end);
    }
    // The clocks of the CTAs cover those of single threads, since the CTAs have ended.
    running.ordered.end.prune();
    this.#streamOrder(launch.stream).ends(running.ordered);
    if (this.#running.size === 0) this.#sweep.rest(this.#hosts);
  }

  /** Called when the host of the stream's rank has waited for all work on the stream. */
  synchronized(stream: SimStream): void {
    const order = this.#streams.get(stream);
    if (order !== undefined) this.#host(stream.rank).joinClock(0, order.over);
  }

  /** Called when the hosts of these ranks synchronize; of all ranks, if none are named. */
  hostsMeet(ranks?: readonly number[]): void {
    const hosts = ranks?.map((rank) => this.#host(rank)) ?? this.#hosts;
    const all = new Clock(0);
    for (const host of hosts) host.end(all);
    all.shared = true;
    for (const host of hosts) host.joinClock(0, all);
  }

  /** Called when memory is allocated. Its old content is gone. */
  allocated(address: number, bytes: number): void {
    this.order.forget(address, address + bytes);
  }

  /** Called for memory that has its content from the start. */
  given(address: number, bytes: number): void {
    this.order.forget(address, address + bytes);
    this.order.given(address, address + bytes);
  }

  /** The lines of 128 bytes that warps may have stored whole. */
  get lines(): SeenLines {
    const { read, lines: places } = this.order.warpLines;
    return { store: read === undefined ? undefined : this.label(read), lines: places };
  }

  /** Describes the participant of an access and its place. */
  label(access: SeenAccess): FindingLabel {
    return this.#participants.label(access);
  }

  hostReads(rank: number, address: number, bytes: number, call?: SourceLocation): void {
    const site = this.#hostSites.of(call);
    this.order.accesses.readRange(this.#host(rank), this.order.shadow, address, address + bytes, site);
  }

  hostWrites(rank: number, address: number, bytes: number, call?: SourceLocation): void {
    if (this.#values.isOpen) this.#values.settle();
    const site = this.#hostSites.of(call) + 1;
    // The account of other runs has no versions of words by hosts.
    if (at(this.order.sites, site).access !== undefined)
      this.order.determinacy?.doubts('a host may write a flag before or after others do');
    this.order.accesses.writeRange(this.#host(rank), this.order.shadow, address, address + bytes, site);
  }

  #streamOrder(stream: SimStream): StreamOrder {
    const known = this.#streams.get(stream) ?? new StreamOrder();
    this.#streams.set(stream, known);
    return known;
  }

  #host(rank: number): GroupClocks {
    const host = this.#hosts[rank];
    if (host === undefined) throw new RangeError(`rank ${rank} has no host`);
    return host;
  }

  #open(launch: SimLaunch, running: RunningLaunch, cta: CtaIdentity, shared: HeapViews | undefined): CtaWatch {
    const linear = ctaIndex(cta);
    const { begin, end, list, dependency } = running.ordered;
    const { rank, domain } = launch;
    const agent = (list.agents[linear] ??= this.order.addAgent({ kind: 'cta', rank, domain }));
    const cluster = this.#clusters.join(launch, cta, shared);
    const number = cluster?.watch.number;
    const group = this.order.open(agent, launch.blockThreads, begin, running.siteBase, running.sites, number);
    this.#participants.begins(agent.index, { from: group.stamp, launch: launch.id, purpose: launch.purpose, cta });
    // The start of a kernel is also a fence of all proxies.
    group.bridged = begin;
    running.open.add(group);
    this.#threads.set(agent.index, group);
    this.stories.opens(launch.id, linear, agent.index);
    const copies: GroupClocks[] = [];
    const memory = cluster === undefined ? this.#words.open(shared) : cluster.watch.memory;
    return new CheckedCta({
      order: this.order,
      group,
      kernel: launch.kernel.name,
      sharedShadow: cluster?.watch.shadow ?? new Shadow(memory),
      cluster,
      protocol: this.#protocol,
      values: this.#values,
      unused: this.#unused,
      dependency,
      onApproximate: (site, how) => this.approximations.addAt(how, launch.kernel, launch.code.sites[site]?.span),
      fabric: this.fabric,
      onWaited: () => {
        this.#dispatch.waited(launch);
        this.network.waited(group);
      },
      scope: this.scope,
      stories: this.stories,
      bulk: (isGeneric) => {
        const opened = this.#copies.open(isGeneric, { launch, running, cta, group, number });
        copies.push(opened.group);
        return opened;
      },
      onDone: (done) => {
        this.#copies.close(copies, running);
        running.open.delete(done);
        if (cluster === undefined) this.#words.close(memory);
        else this.#clusters.leave(cluster);
        this.#threads.delete(done.agent);
        this.#protocol.closed(done);
        for (const { rest } of this.#found.values()) if (rest?.group === done) rest.atEnd = rest.hasWaited();
        this.order.close(done, end);
      },
    });
  }

  /**
   * The finding for two source locations, looked up for each race. One pair may have millions of
   * races, which are only counted.
   */
  #reportLevel(kind: Seen['kind'], now: number, before: number): ReportLevel {
    const known = this.#pairs.get(pairKey(kind, now, before));
    if (known === undefined) return 'nothing';
    // A race at the locations of sessions may really be two overlapping sessions, so each race is
    // examined.
    if (
      known.seen < SIGHTINGS ||
      this.#values.isSame(known) ||
      this.#unused.isUnused(known) ||
      (kind === 'race' && this.#protocol.mayTake(now, before))
    )
      return 'some';
    known.seen++;
    return 'enough';
  }

  #judge(of: CountedFinding, race: Race, shadow: Shadow): void {
    this.#values.examine(of, race, shadow);
    this.#unused.examine(of, race);
  }

  /** Two accesses race, though the store between them writes what the word has already. */
  #hidden(of: CountedFinding, now: SeenAccess, before: PastAccess, key: number): void {
    const { labels, missing } = of.finding;
    const pair = pairKey('race', now.site, before.site);
    const known = this.#pairs.get(pair);
    if (known !== undefined) {
      this.#values.differs(known);
      known.seen++;
      return;
    }
    const { strict, locate } = this.#options;
    const context = { participants: this.#participants, schedule: this.schedule, strict, locate };
    const { memory, word } = wordOfKey(key);
    const seen = { kind: 'race', now, before, beforeId: 0, address: word * 4, bytes: 4, missing: [] } as const;
    const added = this.add(['race', now.site, before.site].join(), () => {
      const finding = seenFinding(seen, memory !== 0, context);
      return labels.length === 0 ? finding : Object.freeze({ ...finding, missing });
    });
    this.#pairs.set(pair, added);
  }

  #see(found: Seen, shadow: Shadow): void {
    const given = { ...found, address: this.#clusters.addressInCta(shadow.number, found.address) };
    if (given.kind === 'race' && shadow === this.order.shadow && this.#protocol.takes(given)) return;
    const { strict, locate } = this.#options;
    const isShared = shadow !== this.order.shadow;
    const before = given.before === undefined ? 0 : given.before.site;
    const pair = pairKey(given.kind, given.now.site, before);
    const known = this.#pairs.get(pair);
    if (known === undefined) {
      const seen =
        given.kind === 'race'
          ? { ...given, missing: this.fabric.missing(given) ?? this.network.missing(given) }
          : given;
      const context = { participants: this.#participants, schedule: this.schedule, strict, locate };
      const key = [seen.kind, seen.now.site, before].join();
      const added = this.add(key, () => seenFinding(seen, isShared, context));
      this.#pairs.set(pair, added);
      if (seen.kind === 'race' && seen.missing.some(({ reason }) => reason === 'completion'))
        added.rest ??= this.network.restAfter(seen);
      if (found.kind === 'race') {
        this.#races.see(added, found);
        this.#judge(added, found, shadow);
      }
      return;
    }
    if (found.kind === 'race') this.#judge(known, found, shadow);
    known.seen++;
    if (known.seen > SIGHTINGS) return;
    const sides = given.before === undefined ? [given.now] : [given.now, given.before];
    sides.forEach((side, i) => known.spread.seeLabel(i, this.#participants.who(side)));
    known.spread.seeBytes(bytesOf(given, isShared, locate));
  }
}
