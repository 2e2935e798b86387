import type { FindingLabel } from '@nccl-ts/findings';
import {
  agentOf,
  Clock,
  scopeWidth,
  threadOf,
  whoIs,
  type GroupClocks,
  type HappensBefore,
  type Missing,
  type Race,
  type SeenAccess,
} from '@nccl-ts/memory-model';
import { posterOf, stampKey, type KnownRequests, type Posted, type PeerQueue } from './posted-request.ts';
import type { Request } from '../network/request.ts';
import type { Caller } from '@nccl-ts/codegen';
import type { RestOfKernel } from './counted-finding.ts';
import { CheckedCta } from './cta-watch.ts';
import type { LaunchScope } from './launch-scope.ts';
import type { NetworkListeners } from './network-listeners.ts';
import type { Covers, Outstanding } from './outstanding.ts';
import type { PostingLaunch } from './episodes.ts';
import type { Participants } from './participants.ts';
import type { StoryPoint } from './story/word-stories.ts';
import { countStamp, signalStamp } from './request-stamps.ts';

/**
 * Models the network as separate agents: each queue reads and writes, and each request has its own
 * stamp. One request is not ordered after another. A signal publishes the writes of the requests
 * that it covers. Local completion publishes their reads.
 */
export class NetworkChecker {
  readonly #order: HappensBefore;
  readonly #participants: Participants;
  readonly #queues = new Map<string, PeerQueue>();
  readonly #posted = new WeakMap<Request, Posted>();
  /** By agent and stamp. */
  readonly #byStamp = new Map<number, Posted>();
  /** Held-back requests that are not certain to be released in every run. */
  readonly #held = new Set<{ readonly posted: Posted; readonly domain: number }>();
  #caller: { readonly caller: Caller; readonly launch: PostingLaunch } | undefined;

  readonly #outstanding: Outstanding;
  readonly #onVASignal: (address: number) => void;
  readonly #open: NetworkListeners['open'];
  readonly #rankOf: NetworkListeners['rankOf'];
  readonly #stories: NetworkListeners['stories'];
  readonly #scope: LaunchScope;
  readonly #waited = new WeakSet<GroupClocks>();
  #hasFences = false;

  constructor(
    order: HappensBefore,
    participants: Participants,
    { outstanding, onVASignal, open, scope, rankOf, stories }: NetworkListeners,
  ) {
    this.#scope = scope;
    this.#stories = stories;
    this.#open = open;
    this.#rankOf = rankOf;
    this.#order = order;
    this.#participants = participants;
    this.#outstanding = outstanding;
    this.#onVASignal = onVASignal;
    order.determinacy?.addReason(() => {
      const isChance = [...this.#held].some(({ posted }) => !posted.queue.isOrdered);
      return isChance ? 'a request may be held back that others let go by chance' : undefined;
    });
    order.determinacy?.addReason(() => {
      const isChance = [...outstanding.passed].some((request) => {
        const posted = this.#posted.get(request);
        return posted !== undefined && posted.queue.unflushed.includes(posted);
      });
      return isChance ? 'a flush or a signal may come before a request that no other wait covers' : undefined;
    });
  }

  /** Called before a thread posts, or releases held-back requests. */
  posting(caller: Caller, launch: PostingLaunch): void {
    this.#caller = { caller, launch };
  }

  posted(request: Request): void {
    if (!request.isShmem) this.#outstanding.posted(request);
    if (request.peer !== request.rank) this.#scope.communicates();
    if (request.signal?.va === true) this.#onVASignal(request.signal.address);
    const by = this.#caller;
    if (by === undefined || !(by.caller.watch instanceof CheckedCta)) return;
    const { cta, thread, site } = by.caller;
    const { group } = by.caller.watch;
    const queue = this.#queueOf(request);
    // The network sees what was released at device scope or wider.
    const begin = group.released(thread, scopeWidth('device'));
    if (this.#order.isOnHardware) group.passesOver(thread, begin);
    const waits = this.#order.determinacy?.waitsBefore(group, thread);
    if (waits !== undefined) begin.join(waits);
    const delivered = this.#delivered(group, thread, request.rank, request.peer);
    if (delivered !== undefined) begin.join(delivered);
    const stamp = request.number + 1;
    const sites = group.siteBase;
    const isCounted = this.#order.determinacy !== undefined;
    const before = isCounted ? this.#before(request, queue, group, thread) : undefined;
    const known = isCounted ? group.peek(thread) : undefined;
    const over = this.#order.isOnHardware ? group.over(thread, group.peek(thread)) : undefined;
    const posted: Posted = {
      queue,
      begin,
      stamp,
      site: sites + site,
      waits,
      signalSite: sites + group.sites + site,
      // The next events of the thread come later.
      poster: { group, thread, at: group.stamp++ },
      to: request.to,
      carries: request.kind !== 'signal',
      known,
      over,
      before,
    };
    this.#posted.set(request, posted);
    queue.posted.push(posted);
    if (isCounted && !request.isShmem) queue.unflushed.push(posted);
    if (isCounted && request.held) this.#held.add({ posted, domain: request.domain.completed });
    if (!request.held) this.released(request.domain.completed);
    for (const { index } of [queue.reads, queue.writes]) this.#byStamp.set(index * 2 ** 32 + stamp, posted);
    for (const word of [signalStamp(stamp), countStamp(stamp)])
      this.#byStamp.set(queue.words.index * 2 ** 32 + word, posted);
    const episode = { from: stamp, launch: by.launch.id, purpose: by.launch.purpose, cta, thread };
    this.#participants.begins(queue.reads.index, { ...episode, does: `${request.kind} that reads its source` });
    this.#participants.begins(queue.writes.index, { ...episode, does: `${request.kind} that writes` });
    const tells = { ...episode, from: signalStamp(stamp), does: `${request.kind} that signals itself` };
    this.#participants.begins(queue.words.index, tells);
  }

  /** Orders the poster after the reads of its request or, for a get, after the whole request. */
  returns(request: Request): void {
    const posted = this.#posted.get(request);
    if (posted === undefined) return;
    const { queue, stamp, poster } = posted;
    const agents = request.kind === 'get' ? [queue.reads, queue.writes] : [queue.reads];
    poster.group.sees(
      poster.thread,
      agents.map(({ index }) => ({ who: whoIs(index, 0), stamp })),
    );
  }

  /**
   * Records the puts of the rank that the calling thread knows. The thread is not ordered after
   * them, but its later operations at their targets are.
   */
  fences(): void {
    const by = this.#caller?.caller;
    if (by === undefined || !(by.watch instanceof CheckedCta)) return;
    const { group } = by.watch;
    for (const queue of this.#queues.values()) {
      if (queue.isGet || queue.rank !== group.rank) continue;
      const arrived = new Clock(0);
      for (const posted of queue.posted) {
        const { who, stamp } = posterOf(posted);
        if (!posted.carries || !group.isAfter(by.thread, who, stamp)) continue;
        for (const { index } of [queue.reads, queue.writes]) arrived.raiseOne(index, posted.stamp);
        arrived.raiseOne(queue.words.index, signalStamp(posted.stamp));
      }
      this.#hasFences = true;
      queue.fenceAgent ??= this.#order.addAgent({ kind: 'network', rank: queue.rank });
      queue.fences.push(arrived);
      group.sees(by.thread, [{ who: whoIs(queue.fenceAgent.index, 0), stamp: queue.fences.length }]);
    }
  }

  /** The puts that arrive before a thread's write at an address of another rank. */
  delivered(group: GroupClocks, thread: number, address: number): Clock | undefined {
    const to = this.#hasFences ? this.#rankOf(address) : undefined;
    return to === undefined || to === group.rank ? undefined : this.#delivered(group, thread, group.rank, to);
  }

  /** The puts that arrive before the thread's next operation at a rank, by fences that it knows. */
  #delivered(group: GroupClocks, thread: number, rank: number, peer: number): Clock | undefined {
    let delivered: Clock | undefined;
    for (const { fenceAgent, fences, ...queue } of this.#queues.values()) {
      if (fenceAgent === undefined || queue.rank !== rank || queue.peer !== peer) continue;
      const who = whoIs(fenceAgent.index, 0);
      for (const [index, arrived] of fences.entries()) {
        if (group.isAfter(thread, who, index + 1)) (delivered ??= new Clock(0)).join(arrived);
      }
    }
    return delivered;
  }

  flushes(completed: number): void {
    const by = this.#caller?.caller;
    if (this.#order.determinacy === undefined || by === undefined || !(by.watch instanceof CheckedCta)) return;
    const { group } = by.watch;
    for (const isGet of [false, true]) {
      const queue = this.#queues.get(queueKey(completed, isGet));
      if (queue === undefined) continue;
      queue.unflushed = queue.unflushed.filter((posted) => {
        const { who, stamp } = posterOf(posted);
        return !group.isAfter(by.thread, who, stamp);
      });
    }
  }

  /**
   * Releases held-back requests that the caller knows in every run, if it has not waited for
   * anything since they were posted.
   */
  released(completed: number): void {
    const by = this.#caller?.caller;
    if (this.#held.size === 0 || by === undefined || !(by.watch instanceof CheckedCta)) return;
    const { group } = by.watch;
    const waits = this.#order.determinacy?.waitsBefore(group, by.thread);
    for (const held of this.#held) {
      const { poster, waits: before } = held.posted;
      const isKnown = group.isAfter(by.thread, poster.group.whoBase + poster.thread, poster.at);
      if (
        held.domain === completed &&
        isKnown &&
        waits !== undefined &&
        before !== undefined &&
        waits.isWithin([before])
      )
        this.#held.delete(held);
    }
  }

  reads(request: Request, low: number, high: number): void {
    this.#access(request, 'reads', (group, site) => {
      this.#order.accesses.readRange(group, this.#order.shadow, low, high, site);
    });
  }

  writes(request: Request, low: number, high: number): void {
    this.#access(request, 'writes', (group, site) => {
      this.#order.accesses.writeRange(group, this.#order.shadow, low, high, site);
    });
  }

  /**
   * Called when the request's signal changes. The signal publishes the request's own write; if it
   * is strong, also all earlier ones.
   */
  signals(request: Request, address: number, strong: boolean): void {
    const posted = this.#posted.get(request);
    if (request.signal?.follows === true) {
      if (posted !== undefined) this.#follows(posted, address, request.signal.sets);
      return;
    }
    this.#outstanding.changes(request, address, request.signal?.amount ?? 0n, this.#coveredBy(posted));
    if (posted === undefined) return;
    // The signal itself passes on what the thread had released. The writes that it covers concern
    // threads that ask the network.
    const { queue, before, stamp } = posted;
    const covered = new Clock(0);
    // A signal without data reads and writes nothing. Its own arrival matters only to a writer of
    // its word.
    const matters = new Clock(0);
    const until = before?.until ?? stamp + 1;
    const last = queue.posted.findLast((one) => one.carries && one.stamp < until)?.stamp ?? -1;
    const ones = [...(strong ? (before?.others ?? []) : []), posted];
    // Data is read before it is written.
    for (const index of [queue.reads.index, queue.writes.index]) {
      if (strong) {
        covered.raise(index, until);
        matters.raise(index, last + 1);
      }
      for (const one of ones) {
        covered.raiseOne(index, one.stamp);
        if (one.carries) matters.raiseOne(index, one.stamp);
      }
    }
    covered.raiseOne(queue.words.index, signalStamp(stamp));
    const changes = {
      acquired: posted.begin.clone(),
      consumed: posted.waits?.clone(),
      settled: covered,
      matters,
      posted: posted.known,
      over: posted.over,
      sources: covered,
    };
    this.#tells(posted, signalStamp(stamp), address);
    this.#order.signal(this.#word(posted, signalStamp(stamp)), address, posted.signalSite, changes);
  }

  /** Handles a signal that changes after its own put has arrived. Its readers see that put. */
  #follows(posted: Posted, address: number, sets: boolean): void {
    const { queue, begin, waits, stamp, signalSite, known, over } = posted;
    this.#tells(posted, signalStamp(stamp), address);
    const acquired = begin.clone();
    for (const { index } of [queue.reads, queue.writes]) acquired.raiseOne(index, stamp);
    const sources = new Clock(0);
    sources.raiseOne(queue.reads.index, stamp);
    const consumed = waits?.clone() ?? new Clock(0);
    for (const clock of [acquired, consumed]) clock.raiseOne(queue.words.index, signalStamp(stamp));
    const word = this.#order.open({ ...queue.words, stamp: signalStamp(stamp) }, 1, acquired.clone(), 0);
    this.#order.signal(word, address, signalSite, { acquired, consumed, sets, posted: known, over, sources });
  }

  /** Called when the request is locally complete and was counted in the word at `address`. */
  completes(request: Request, address: number): void {
    this.#outstanding.changes(request, address, 1n);
    const posted = this.#posted.get(request);
    if (posted === undefined) return;
    const consumed = posted.waits?.clone() ?? new Clock(0);
    consumed.raiseOne(posted.queue.reads.index, posted.stamp);
    consumed.raiseOne(posted.queue.words.index, countStamp(posted.stamp));
    const covered = consumed.clone();
    if (request.kind === 'get') covered.raiseOne(posted.queue.writes.index, posted.stamp);
    this.#tells(posted, countStamp(posted.stamp), address);
    this.#order.signal(this.#word(posted, countStamp(posted.stamp)), address, posted.signalSite, {
      acquired: covered,
      consumed,
      inOrder: true,
      request: address === request.domain.completed ? posterOf(posted) : undefined,
      posted: posted.known,
      over: posted.over,
    });
  }

  /** Records the change of a signal. */
  #tells({ queue, poster, signalSite }: Posted, stamp: number, address: number): void {
    const access = { who: whoIs(queue.words.index, 0), stamp, site: signalSite };
    const point = { agent: poster.group.agent, stamp: poster.at };
    this.#stories.add(access, point, { shadow: this.#order.shadow, address, bytes: 8 }, true);
  }

  /** The time at which the request of a network access was posted. */
  pointOf(access: SeenAccess): StoryPoint | undefined {
    const poster = this.#byStamp.get(stampKey(access))?.poster;
    return poster === undefined ? undefined : { agent: poster.group.agent, stamp: poster.at };
  }

  /** The address of the first byte that the request of a network access writes. */
  targetOf(access: SeenAccess): number | undefined {
    return this.#byStamp.get(stampKey(access))?.to;
  }

  /** Returns the thread that posted the request, and its source location. */
  labelOf(request: Request): FindingLabel | undefined {
    const posted = this.#posted.get(request);
    if (posted === undefined) return undefined;
    const { queue, stamp, site } = posted;
    const label = this.#participants.label({ who: whoIs(queue.reads.index, 0), stamp, site });
    return Object.freeze({ ...label, does: request.kind });
  }

  /**
   * The missing synchronization between two accesses, at least one of which is by the network: a
   * release before the post, a synchronization with the posting thread, or a wait for completion.
   */
  missing({ now, before, missing }: Race): readonly Missing[] {
    const posted = this.#byStamp.get(stampKey(now)) ?? this.#byStamp.get(stampKey(before));
    if (posted === undefined) return missing;
    const known = missing.filter(({ reason }) => reason === 'acquire' || reason === 'release' || reason === 'strong');
    if (known.length > 0 && this.#byStamp.has(stampKey(before))) return known;
    const other = this.#byStamp.has(stampKey(now)) ? before : now;
    const { group, thread, at } = posted.poster;
    if (agentOf(other.who) !== group.agent) {
      const network = other === now ? before : now;
      const isWrite = agentOf(network.who) === posted.queue.writes.index;
      return [{ reason: isWrite && this.#overwrites(other, posted) ? 'overwrite' : 'completion' }];
    }
    if (other.who === group.whoBase + thread) return [{ reason: other.stamp <= at ? 'release' : 'completion' }];
    // The posting thread may have waited for its request, and the other one not have met it since.
    const network = other === now ? before : now;
    const hasWaited = group.isAfter(thread, network.who, network.stamp);
    const { who, stamp } = posterOf(posted);
    return [{ reason: 'coop-sync', ...(hasWaited ? { at: { who, stamp, site: posted.site } } : {}) }];
  }

  /** Called when a wait of a CTA has ended. */
  waited(group: GroupClocks): void {
    this.#waited.add(group);
  }

  /**
   * For a race of a put with a thread that has not waited yet: the rest of its kernel. After a wait
   * the thread has waited for too little, and not too late.
   */
  restAfter({ now, before }: Race): RestOfKernel | undefined {
    const network = this.#byStamp.has(stampKey(now)) ? now : before;
    const other = network === now ? before : now;
    const posted = this.#byStamp.get(stampKey(network));
    const group = this.#open(agentOf(other.who));
    if (posted === undefined || group === undefined || group.rank === posted.poster.group.rank) return undefined;
    if (this.#waited.has(group)) return undefined;
    const { queue, stamp } = posted;
    if (agentOf(network.who) !== queue.writes.index) return undefined;
    const [writes, thread] = [whoIs(queue.writes.index, 0), threadOf(other.who)];
    return { group, hasWaited: () => group.isAfter(thread, writes, stamp) };
  }

  /** True if the request overwrites data that a thread of another rank has waited for. */
  #overwrites(other: SeenAccess, { queue, to, stamp, poster }: Posted): boolean {
    const reader = this.#open(agentOf(other.who));
    if (reader === undefined || reader.rank === poster.group.rank) return false;
    const writes = whoIs(queue.writes.index, 0);
    return queue.posted.some(
      (earlier) =>
        earlier.to === to && earlier.stamp < stamp && reader.isAfter(threadOf(other.who), writes, earlier.stamp),
    );
  }

  /** The requests in the queue that a posting thread certainly knows, if there may be more. */
  #before(request: Request, queue: PeerQueue, group: GroupClocks, thread: number): KnownRequests | undefined {
    const isKnown = (posted: Posted): boolean => {
      const { who, stamp } = posterOf(posted);
      return group.isAfter(thread, who, stamp);
    };
    const last = queue.posted.at(-1);
    if (last !== undefined && !isKnown(last)) queue.isOrdered = false;
    if (queue.isOrdered) return undefined;
    const first = queue.posted.findIndex((posted) => !isKnown(posted));
    const others = queue.posted.slice(first + 1).filter(isKnown);
    return { until: queue.posted[first]?.stamp ?? request.number + 1, others };
  }

  /**
   * The requests that a strong signal covers in every schedule; undefined if these are all earlier
   * ones.
   */
  #coveredBy(signal: Posted | undefined): Covers | undefined {
    const before = signal?.before;
    if (signal === undefined || before === undefined) return undefined;
    return (earlier) => {
      const posted = this.#posted.get(earlier);
      if (posted === undefined || posted === signal || posted.stamp < before.until) return true;
      return before.others.includes(posted);
    };
  }

  #access(request: Request, half: 'reads' | 'writes', access: (group: GroupClocks, site: number) => void): void {
    const posted = this.#posted.get(request);
    if (posted !== undefined) access(this.#group(posted, half), posted.site);
  }

  #group({ queue, begin, stamp }: Posted, half: 'reads' | 'writes'): GroupClocks {
    return this.#order.open({ ...queue[half], stamp }, 1, begin, 0);
  }

  /** Returns the agent that changes a word for a request. */
  #word({ queue, begin }: Posted, stamp: number): GroupClocks {
    return this.#order.open({ ...queue.words, stamp }, 1, begin, 0);
  }

  #queueOf(request: Request): PeerQueue {
    // Signals do not cover gets.
    const key = queueKey(request.domain.completed, request.kind === 'get');
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    const init = { kind: 'network', rank: request.rank } as const;
    const queue: PeerQueue = {
      rank: request.rank,
      peer: request.peer,
      isGet: request.kind === 'get',
      fenceAgent: undefined,
      fences: [],
      reads: this.#order.addAgent({ ...init, readsSources: true }),
      writes: this.#order.addAgent(init),
      words: this.#order.addAgent(init),
      posted: [],
      unflushed: [],
      isOrdered: true,
    };
    this.#queues.set(key, queue);
    return queue;
  }
}

function queueKey(completed: number, isGet: boolean): string {
  return `${completed} ${isGet}`;
}
