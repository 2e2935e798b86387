import { at, NcclError } from '@nccl-ts/core';
import type { KernelText, CtaIdentity } from '@nccl-ts/transport';
import {
  Deferred,
  join,
  modify,
  read,
  seenWrites,
  spawn,
  use,
  write,
  type AgentProgram,
  type GraphEvent,
  type Later,
  type Run,
} from '@nccl-ts/memory-model';
import { type DevCommValue, type PostedRequest, type WindowValue, networkMisuse } from '@nccl-ts/codegen';
import { hostWords } from './host-words.ts';
import type { Participants } from './participants.ts';
import { ShmemFences } from './shmem-fences.ts';
import { ThreadFault } from './thread-fault.ts';
import type { Steps } from './steps.ts';

/** The posting thread. */
export interface Poster {
  readonly rank: number;
  readonly kernel: KernelText;
  readonly launch: number;
  readonly purpose: string;
  readonly cta: CtaIdentity;
  readonly thread: number;
  /** The source location of the call. */
  readonly site: number;
}

export interface ExploredNetworkInit {
  readonly participants: Participants;
  readonly run: Run;
  /** True if a heap address is one of the network's counters. */
  readonly isSignal: (at: number) => boolean;
}

/**
 * The agents of one request: for the reads of its source, the writes at its destination, and its
 * completion.
 */
interface Requested {
  readonly isGet: boolean;
  readonly reads: number | undefined;
  readonly writes: number | undefined;
  /** The agent of a signal that follows the put. */
  readonly follows: number | undefined;
  readonly completes: number;
}

/** The bytes that a request moves, and the agents of puts that arrive before they are written. */
interface Moved {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly delivered: readonly number[];
}

/** A change of a u64 at the peer. */
interface Signal {
  readonly address: number;
  readonly amount: bigint;
  readonly sets: boolean;
  readonly strong: boolean;
  /** True if it follows the put that carries it. */
  readonly follows: boolean;
}

/** The locations of a rank's words for one context. @see ginState */
interface ContextWords {
  readonly signals: number;
  readonly counters: number;
  readonly issued: number;
  readonly completed: number;
}

/**
 * The network in one execution. A request consists of a few agents. Its reads and writes are
 * ordered after its thread's releases, and after nothing else. A signal covers puts: a thread
 * that acquires the signal is ordered after them, and one that only reads it is not. Local
 * completion is ordered after the reads, and after the completion of earlier requests in its
 * domain. A counter of the author says nothing of earlier requests. A domain has the requests of
 * one rank to one peer on one context, in the order of their issue.
 *
 * It does not model queues of limited depth or held-back requests.
 */
export class ExploredNetwork {
  readonly #init: ExploredNetworkInit;
  readonly #domains = new Map<number, Map<number, Requested>>();
  readonly fences: ShmemFences;
  #agents = 0;

  constructor(init: ExploredNetworkInit) {
    this.#init = init;
    this.fences = new ShmemFences(init.run);
  }

  /** `self` is the agent of the posting thread. */
  *post(poster: Poster, request: PostedRequest, self: number): Steps<void> {
    const { comm, context, peer, kind, near, far, nearOffset, farOffset } = request;
    const { rank } = poster;
    const words = wordsOf(comm, rank, context);
    const bytes = kind === 'signal' ? 0 : request.bytes;
    const nearAt = kind === 'put' || kind === 'get' ? addressIn(near, rank, nearOffset, bytes) : 0;
    const farAt = kind === 'signal' ? 0 : addressIn(far, peer, farOffset, bytes);
    const signal = signalOf(request);
    const counter = request.counter < 0 ? undefined : counterOf(request, words);
    const issued = yield* modify({ at: words.issued + 8 * peer, bytes: 8 }, relaxed, ISSUED, one);
    // Requests of a domain keep the order of their issue, so that order must be decided now.
    const number = Number(yield* use(issued));
    const domain = this.#domain(words.completed + 8 * peer);
    const isGet = kind === 'get';
    const [from, to] = isGet ? [farAt, nearAt] : [nearAt, farAt];
    const delivered = yield* this.fences.delivered(self, rank, peer);
    const [reads, writes] = yield* this.#transfer(poster, request, { from, to, bytes, delivered });
    const own = [reads, writes].filter((agent) => agent !== undefined);
    let follows: number | undefined;
    if (signal?.follows === true) {
      const started = yield* spawn(
        [this.#agent(poster, 'signal', signalAfter([...own, ...delivered], signal))],
        'releases',
      );
      follows = at(started, 0);
    } else if (signal !== undefined) {
      const covered = (): readonly number[] | undefined => (signal.strong ? upTo(domain, number, own) : own);
      const agents = [
        this.#agent(poster, 'signal', signals(signal.address, signal.amount)),
        this.#agent(poster, 'cover', cover(covered)),
      ];
      const started = yield* spawn(agents, 'releases');
      const [changes, covers] = [at(started, 0), at(started, 1)];
      at(this.#init.run.graph.eventsOf(changes), 0).coveredBy = covers;
    }
    const local = isGet ? own : [reads].filter((agent) => agent !== undefined);
    const before = (): readonly number[] | undefined => {
      const previous = number === 0 ? [] : domain.get(number - 1)?.completes;
      if (previous === undefined) return undefined;
      return [...(typeof previous === 'number' ? [previous] : []), ...local];
    };
    const completed = completion(words.completed + 8 * peer, before);
    const completes = yield* this.#counts(poster, completed);
    if (counter !== undefined)
      yield* this.#counts(
        poster,
        completion(counter, () => local),
      );
    domain.set(number, { isGet, reads, writes, follows, completes });
    if (request.shmem === undefined) return;
    const put = follows === undefined ? own : [...own, follows];
    if (!isGet) this.fences.posted(self, { rank, peer, agents: put });
    if (!request.shmem.blocks) return;
    if (isGet) yield* join(own, 'get');
    else if (reads !== undefined) yield* join([reads], 'put');
  }

  /**
   * Applies an acquire to signals: the writes that they cover become visible. It concerns the
   * signals that the thread has read, at `word` or, by default, at any word. Reading a signal's
   * word does not make them visible by itself, in any order.
   */
  *acquire(self: number, word: number | undefined): Steps<void> {
    const { run, isSignal } = this.#init;
    const matters = (event: GraphEvent): boolean =>
      event.kind === 'read' && (word === undefined ? isSignal(event.at) : event.at === word);
    if (this.#domains.size === 0 && word === undefined) return;
    const open = run.pending.filter(({ event }) => event.agent === self && matters(event));
    for (const { token } of open) {
      yield* use(new Deferred([token], () => token.value));
    }
    const found = new Set<number>();
    for (const event of run.graph.eventsOf(self).filter(matters)) {
      // A signal that was added to also contains the earlier ones.
      for (const { agent } of seenWrites(event)) {
        const covers = run.graph.eventsOf(agent)[0]?.coveredBy;
        if (covers !== undefined) found.add(covers);
      }
    }
    if (found.size > 0) yield* join([...found], 'acquire');
  }

  /** Starts an agent that counts a request as locally complete. */
  *#counts(poster: Poster, start: AgentProgram['start']): Steps<number> {
    const agent = at(yield* spawn([this.#agent(poster, 'completion', start)], 'releases'), 0);
    at(this.#init.run.graph.eventsOf(agent), 0).completes = true;
    return agent;
  }

  /** Starts the agents that move the bytes. */
  *#transfer(
    poster: Poster,
    { kind, value, bytes: length }: PostedRequest,
    { from, to, bytes, delivered }: Moved,
  ): Steps<readonly [reads: number | undefined, writes: number | undefined]> {
    if (bytes === 0) return [undefined, undefined];
    const pieces = hostWords(to, bytes);
    const data: Later<bigint>[] =
      kind === 'putValue' ? pieces.map((piece) => value >> BigInt(8 * (piece.at - to))) : [];
    let reads: number | undefined;
    if (kind !== 'putValue') {
      const does = kind === 'get' ? 'get that reads its source' : 'put that reads its source';
      const ranges = pieces.map((piece) => ({ at: from + (piece.at - to), bytes: piece.bytes }));
      const steps = function* (): Steps<undefined> {
        for (const [index, range] of ranges.entries()) data[index] = yield* read(range, undefined, does);
        return undefined;
      };
      [reads] = yield* spawn([this.#agent(poster, does, steps)], 'releases');
    }
    const does = kind === 'get' ? 'get that writes' : 'put that writes';
    // The written data depends only on the data that was read. A request need not read everything
    // before it writes.
    const steps = function* (): Steps<undefined> {
      if (delivered.length > 0) yield* join(delivered, does);
      for (const [index, range] of pieces.entries()) yield* write(range, undefined, does, at(data, index));
      return undefined;
    };
    const [writes] = yield* spawn([this.#agent(poster, does, steps)], 'releases');
    if (length !== bytes) throw new RangeError('A request moves a different number of bytes than its memory holds.');
    return [reads, writes];
  }

  #agent(
    { rank, kernel, launch, purpose, cta, thread, site }: Poster,
    name: string,
    start: AgentProgram['start'],
  ): AgentProgram {
    const coordinates = { rank, cta: -1_000_000 - this.#agents++, thread: 0, on: 'network' } as const;
    return this.#init.participants.add(
      { name, coordinates, start },
      { kind: 'network', rank, kernel, launch, purpose, cta, thread, site },
    );
  }

  #domain(completed: number): Map<number, Requested> {
    let domain = this.#domains.get(completed);
    if (domain === undefined) {
      domain = new Map();
      this.#domains.set(completed, domain);
    }
    return domain;
  }
}

/** The source location for counting issued requests, which is not an access of the kernel. */
export const ISSUED = 'count of requests';

const relaxed = { order: 'relaxed', scope: 'system' } as const;
const released = { order: 'release', scope: 'system' } as const;
const one = (old: bigint): bigint => old + 1n;

/**
 * Returns the agents of a domain's puts up to a given request; `undefined` if an earlier request
 * has not started. No signal covers a get, whose bytes come back.
 */
function upTo(
  domain: ReadonlyMap<number, Requested>,
  number: number,
  own: readonly number[],
): readonly number[] | undefined {
  const covered = [...own];
  for (let before = 0; before < number; before++) {
    const request = domain.get(before);
    if (request === undefined) return undefined;
    if (request.isGet) continue;
    for (const agent of [request.reads, request.writes, request.follows]) if (agent !== undefined) covered.push(agent);
  }
  return covered;
}

function signals(address: number, amount: bigint): AgentProgram['start'] {
  return function* () {
    yield* modify({ at: address, bytes: 8 }, released, 'signal', (old) => old + amount);
    return undefined;
  };
}

/** A signal that changes after these agents have ended, so that its readers see what they did. */
function signalAfter(agents: readonly number[], { address, amount, sets }: Signal): AgentProgram['start'] {
  return function* () {
    yield* join(agents, 'signal');
    const range = { at: address, bytes: 8 };
    if (sets) yield* write(range, released, 'signal', amount);
    else yield* modify(range, released, 'signal', (old) => old + amount);
    return undefined;
  };
}

function cover(covered: () => readonly number[] | undefined): AgentProgram['start'] {
  return function* () {
    yield* join(covered, 'cover');
    return undefined;
  };
}

/** Counts a request in a word, after these agents. */
function completion(word: number, before: () => readonly number[] | undefined): AgentProgram['start'] {
  return function* () {
    yield* join(before, 'completion');
    yield* modify({ at: word, bytes: 8 }, released, 'completion', one);
    return undefined;
  };
}

function signalOf(request: PostedRequest): Signal | undefined {
  const { at: coordinates, comm, context, peer, signal, signalWindow, signalOffset, modify: how, strength } = request;
  if (coordinates === 'none') return undefined;
  const count = field(comm, 'ginSignalCount');
  const legacy = field(comm, 'ginStrongLegacySignals') !== 0;
  if (coordinates === 'id' && signal >= count) misuse(networkMisuse.signalPastCount(signal, count));
  if (strength === 'strong' && !legacy) misuse(networkMisuse.strongSignal());
  const address =
    coordinates === 'id'
      ? wordsOf(comm, peer, context).signals + 8 * signal
      : addressIn(signalWindow, peer, signalOffset, 8);
  if (coordinates === 'va') {
    if (field(comm, 'ginVaSignals') === 0) misuse(networkMisuse.vaSignal());
    if (!signalWindow.copies.strictOrdering) misuse(networkMisuse.looseWindow());
  }
  return {
    address,
    amount: how === 'inc' ? 1n : request.amount,
    sets: how === 'set',
    follows: coordinates === 'symmetric',
    strong: strength === 'strong' || (strength === 'legacy' && legacy),
  };
}

function counterOf({ comm, counter }: PostedRequest, { counters }: ContextWords): number {
  const count = field(comm, 'ginCounterCount');
  if (counter >= count) misuse(networkMisuse.counterPastCount(counter, count));
  return counters + 8 * counter;
}

function misuse(message: string): never {
  throw new ThreadFault('misuse', message);
}

/**
 * Returns the heap address of a window's byte at a world rank. The bytes that start there must be
 * in the window.
 */
function addressIn({ copies }: WindowValue, rank: number, offset: number, bytes: number): number {
  const address = at(copies.bases, rank) + offset;
  if (offset + bytes > copies.bytes) {
    throw new ThreadFault('outOfBounds', '', { space: 'global', address, bytes, region: at(copies.regions, rank) });
  }
  return address;
}

function wordsOf(comm: DevCommValue, rank: number, context: number): ContextWords {
  const base = comm.windows['ginStateWindow']?.copies.bases[rank];
  if (base === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `Rank ${rank} has no GIN state.`);
  const signalCount = field(comm, 'ginSignalCount');
  const counterCount = field(comm, 'ginCounterCount');
  const nRanks = field(comm, 'nRanks');
  const signalWords = base + context * 8 * (signalCount + counterCount + 2 * nRanks);
  const counters = signalWords + 8 * signalCount;
  const issued = counters + 8 * counterCount;
  return { signals: signalWords, counters, issued, completed: issued + 8 * nRanks };
}

function field(comm: DevCommValue, name: string): number {
  const value = comm.fields[name];
  if (value === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `A device communicator has no '${name}'.`);
  return value;
}
