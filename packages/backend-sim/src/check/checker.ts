import {
  findingKey,
  findingOfError,
  SpreadOf,
  type CtaIdentity,
  type Finding,
  type LocatedWord,
  type ScheduleId,
  type Site,
} from '@nccl-ts/findings';
import {
  Clock,
  Determinacy,
  HappensBefore,
  type Agent,
  type GroupClocks,
  type Seen,
  type Shadow,
  type WatchedSite,
} from '@nccl-ts/memory-model';
import { ctaIndex } from '../engine/cta-identity.ts';
import type { Launch } from '../engine/launch.ts';
import type { Stream } from '../engine/stream.ts';
import type { SimWindow } from '../memory/sim-window.ts';
import type { CtaWatch, HeapViews, ProgramCode } from '../program.ts';
import type { SimDevComm } from '../sim-dev-comm.ts';
import { CheckedCta } from './cta-watch.ts';
import { Endings } from './endings.ts';
import { NetworkChecker } from './network-checker.ts';
import { Outstanding } from './outstanding.ts';
import { Participants } from './participants.ts';
import { Protocol } from './protocol.ts';
import { bytesOf, seenFinding } from './seen-finding.ts';

export interface CheckerOptions {
  readonly ranks: number;
  /** The schedule so far. */
  readonly schedule: () => ScheduleId;
  readonly strict: boolean;
  readonly locate: (address: number) => LocatedWord | undefined;
  /** The heap as it is. */
  readonly views: () => HeapViews;
  /** Told who keeps account of whether there are other runs; absent: nobody does. */
  readonly onDeterminacy?: ((account: Determinacy) => void) | undefined;
  /** What the account leaves out, asked for before it is made. */
  readonly omits?: (() => ReadonlySet<string> | undefined) | undefined;
}

/** A finding, how often it was seen, and by whom. */
export interface CountedFinding {
  readonly finding: Finding;
  seen: number;
  readonly spread: SpreadOf;
}

/** Of so many sightings of one finding it is told who took part. */
const SIGHTINGS = 4096;

/** A launch that runs, as the checker has it. */
interface RunningLaunch {
  readonly siteBase: number;
  /** Sites in it. */
  readonly sites: number;
  readonly begin: Clock;
  /** What is ordered before whatever comes after it on its stream. */
  readonly end: Clock;
  readonly open: Set<GroupClocks>;
}

/**
 * Watches a world: what kernels, the network and the host do with memory, and what they order. Kernels begin and end with a
 * system-scope fence of all their threads; launches of a stream follow each other; a host program is a thread of its own, and
 * calls in which all ranks take part let all hosts meet.
 */
export class Checker {
  readonly order: HappensBefore;
  readonly network: NetworkChecker;
  readonly endings: Endings;
  readonly #protocol: Protocol;
  readonly #options: CheckerOptions;
  readonly #participants = new Participants();
  readonly #hosts: readonly GroupClocks[];
  readonly #hostSite: number;
  readonly #agents = new Map<Stream, (Agent | undefined)[]>();
  readonly #streams = new WeakMap<Stream, Clock>();
  readonly #enqueued = new WeakMap<Launch, Clock>();
  readonly #running = new Map<Launch, RunningLaunch>();
  readonly #sites = new WeakMap<ProgramCode, number>();
  readonly #found = new Map<string, CountedFinding>();

  constructor(options: CheckerOptions) {
    this.#options = options;
    const { onDeterminacy } = options;
    const determinacy =
      onDeterminacy === undefined
        ? undefined
        : new Determinacy({
            omits: options.omits?.(),
            valueAt: (shadow, address, bytes) =>
              shadow === this.order.shadow ? wordAt(options.views(), address, bytes) : undefined,
          });
    if (determinacy !== undefined) onDeterminacy?.(determinacy);
    this.order = new HappensBefore({ onSeen: (seen, shadow) => this.#see(seen, shadow), determinacy });
    this.#hostSite = this.order.addSites([{ kind: 'store', bytes: 4 }]);
    this.#hosts = Array.from({ length: options.ranks }, (_, rank) => {
      const agent = this.order.addAgent({ kind: 'host', rank });
      this.#participants.addHost(agent.index, rank);
      return this.order.open(agent, 1, new Clock(0), 0);
    });
    const { locate, views } = options;
    const participants = this.#participants;
    const outstanding = new Outstanding((address) => views().u64[address / 8] ?? 0n);
    const add = (key: string, make: (schedule: ScheduleId) => Finding): void =>
      this.add(key, () => make(this.schedule));
    this.#protocol = new Protocol({ participants, outstanding, add, locate });
    const onVASignal = (address: number): void => this.#protocol.keeps(address);
    this.network = new NetworkChecker(this.order, participants, { outstanding, onVASignal });
    this.endings = new Endings({
      order: this.order,
      participants,
      outstanding,
      wordAt: (address) => views().u32[address / 4] ?? 0,
      labelOf: (request) => this.network.labelOf(request),
      add,
      forget: (low, high) => this.#protocol.forget(low, high),
    });
  }

  /** The schedule so far. */
  get schedule(): ScheduleId {
    return this.#options.schedule();
  }

  /** What nobody has waited for so far, of what there is still; nothing while kernels run. */
  leftovers(windows: readonly SimWindow[], devComms: readonly SimDevComm[]): readonly Finding[] {
    if (this.#running.size > 0) return [];
    const told = this.endings.soFar(windows, devComms).filter(({ key }) => !this.#found.has(key));
    return told.map(({ make }) => make(this.schedule));
  }

  /** A launch, or all that was stuck, has ended with an error. */
  failed(error: unknown): void {
    this.endings.brokenOff();
    const finding = findingOfError(error, this.schedule);
    if (finding !== undefined) this.add(findingKey(finding), () => finding);
  }

  /** What was found, in the order in which it was found. */
  get findings(): readonly CountedFinding[] {
    return [...this.#found.values()];
  }

  add(key: string, make: () => Finding): void {
    const known = this.#found.get(key);
    if (known !== undefined) {
      known.seen++;
      return;
    }
    const finding = make();
    const spread = new SpreadOf(finding);
    spread.add(finding);
    this.#found.set(key, { finding, seen: 1, spread });
  }

  /** The host of the launch's rank puts it on its stream. */
  enqueues(launch: Launch): void {
    const clock = new Clock(0);
    this.#join(clock, this.#host(launch.rank));
    this.#enqueued.set(launch, clock);
  }

  /** A launch begins to run: after what was before it on its stream, and after what its host had done. */
  begins(launch: Launch): { open(cta: CtaIdentity): CtaWatch } {
    const begin = new Clock(0);
    const before = this.#streams.get(launch.stream);
    if (before !== undefined) begin.join(before);
    const enqueued = this.#enqueued.get(launch);
    if (enqueued !== undefined) begin.join(enqueued);
    const end = begin.clone();
    const running: RunningLaunch = {
      siteBase: this.#siteBase(launch),
      sites: launch.code.sites.length,
      begin,
      end,
      open: new Set(),
    };
    this.#running.set(launch, running);
    return { open: (cta) => this.#open(launch, running, cta) };
  }

  /** A launch is over. */
  ends(launch: Launch): void {
    const running = this.#running.get(launch);
    if (running === undefined) return;
    this.#running.delete(launch);
    for (const group of running.open) {
      this.#protocol.closed(group);
      this.order.close(group, running.end);
    }
    this.#streams.set(launch.stream, running.end);
  }

  /** The host of the stream's rank has waited for all that was on it. */
  synchronized(stream: Stream): void {
    const clock = this.#streams.get(stream);
    if (clock !== undefined) this.#host(stream.rank).joinClock(0, clock);
  }

  /** The hosts of these ranks meet; of all, where none are named. */
  hostsMeet(ranks?: readonly number[]): void {
    const hosts = ranks?.map((rank) => this.#host(rank)) ?? this.#hosts;
    const all = new Clock(0);
    for (const host of hosts) host.end(all);
    all.shared = true;
    for (const host of hosts) host.joinClock(0, all);
  }

  /** Memory is somebody's: what was there before is gone. */
  allocated(address: number, bytes: number): void {
    this.order.forget(address, address + bytes);
  }

  /** Memory that has its contents from the beginning. */
  given(address: number, bytes: number): void {
    this.order.forget(address, address + bytes);
    this.order.given(address, address + bytes);
  }

  hostReads(rank: number, address: number, bytes: number): void {
    this.order.readRange(this.#host(rank), this.order.shadow, address, address + bytes, this.#hostSite);
  }

  hostWrites(rank: number, address: number, bytes: number): void {
    this.order.writeRange(this.#host(rank), this.order.shadow, address, address + bytes, this.#hostSite);
  }

  #host(rank: number): GroupClocks {
    const host = this.#hosts[rank];
    if (host === undefined) throw new RangeError(`no host of rank ${rank}`);
    return host;
  }

  #join(clock: Clock, group: GroupClocks): void {
    group.end(clock);
  }

  #open(launch: Launch, running: RunningLaunch, cta: CtaIdentity): CtaWatch {
    const linear = ctaIndex(cta);
    const agents = this.#agents.get(launch.stream) ?? [];
    this.#agents.set(launch.stream, agents);
    const agent = (agents[linear] ??= this.order.addAgent({ kind: 'cta', rank: launch.rank }));
    const group = this.order.open(agent, launch.blockThreads, running.begin, running.siteBase, running.sites);
    this.#participants.begins(agent.index, { from: group.stamp, launch: launch.id, purpose: launch.label, cta });
    // The beginning of a kernel is a fence of all proxies too.
    group.bridged = running.begin;
    running.open.add(group);
    return new CheckedCta(this.order, group, this.#protocol, (done) => {
      running.open.delete(done);
      this.#protocol.closed(done);
      this.order.close(done, running.end);
    });
  }

  /** Every place twice: as itself, and as what the network does to a signal for it. */
  #siteBase({ code, kernel }: Launch): number {
    const known = this.#sites.get(code);
    if (known !== undefined) return known;
    const sites = code.sites.map((one, i) => ({ ...watched(one), usedAt: () => code.usesOf?.(i) }));
    const base = this.order.addSites([...sites, ...code.sites.map(() => signalSite)]);
    this.#participants.addSites({ base, sites: code.sites, kernel });
    this.#sites.set(code, base);
    return base;
  }

  #see(given: Seen, shadow: Shadow): void {
    if (given.kind === 'race' && shadow === this.order.shadow && this.#protocol.takes(given)) return;
    const seen = given.kind === 'race' ? { ...given, missing: this.network.missing(given) } : given;
    const before = seen.kind === 'uninitialised' ? 0 : seen.before.site;
    const isShared = shadow !== this.order.shadow;
    const { strict, locate } = this.#options;
    const key = [seen.kind, seen.now.site, before].join();
    const context = { participants: this.#participants, schedule: this.schedule, strict, locate };
    const known = this.#found.get(key);
    if (known !== undefined && known.seen < SIGHTINGS) {
      const sides = seen.kind === 'uninitialised' ? [seen.now] : [seen.now, seen.before];
      sides.forEach((side, i) => known.spread.seeLabel(i, this.#participants.who(side)));
      known.spread.seeBytes(bytesOf(seen, isShared, context));
    }
    this.add(key, () => seenFinding(seen, isShared, context));
  }
}

function wordAt({ u32, u64 }: HeapViews, address: number, bytes: number): bigint | undefined {
  if (bytes === 8) return u64[address / 8];
  const word = u32[address / 4];
  return bytes === 4 && word !== undefined ? BigInt(word) : undefined;
}

const signalSite: WatchedSite = Object.freeze({
  kind: 'atomic',
  bytes: 8,
  access: Object.freeze({ order: 'relaxed', scope: 'system' }),
});

function watched({ what, access }: Site): WatchedSite {
  const kind = what === 'store' || what === 'atomic' ? what : 'load';
  // What the network does for it is told word by word.
  if (access === undefined) return { kind, bytes: 4 };
  const { bytes, order, scope, multicast, adds, applies } = access;
  const ordered = order === undefined || scope === undefined ? undefined : { order, scope };
  return { kind, bytes, access: ordered, multicast, adds, applies };
}
