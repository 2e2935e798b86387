import { at as itemAt, NcclError } from '@nccl-ts/core';
import type { Fault } from '@nccl-ts/findings';
import { blockIdxText, type CtaIdentity } from '@nccl-ts/transport';
import type { Heap } from '../memory/heap.ts';
import {
  type Caller,
  type DevCommValue,
  type NetworkPort,
  type PostedRequest,
  type WindowValue,
  networkMisuse,
} from '@nccl-ts/codegen';
import { unlistedPeer } from './unlisted-peer.ts';
import type { NetworkRules } from './network-rules.ts';
import type { Network } from './network.ts';
import type { Signal } from './request.ts';

export interface LaunchNetworkInit {
  readonly network: Network;
  readonly rules: NetworkRules;
  readonly heap: Heap;
  readonly launch: number;
  readonly rank: number;
  /** Receives the posting thread before the request is posted. */
  readonly posting?: ((caller: Caller) => void) | undefined;
  fault(cta: CtaIdentity, fault: Fault): never;
}

/** The locations of a rank's words for one context. @see ginState */
interface ContextWords {
  readonly signals: number;
  readonly counters: number;
  readonly issued: number;
  readonly completed: number;
}

/**
 * The network for the kernel of one launch. It checks the rules that NCCL does not check, and
 * computes addresses.
 */
export class LaunchNetwork implements NetworkPort {
  readonly #init: LaunchNetworkInit;

  constructor(init: LaunchNetworkInit) {
    this.#init = init;
  }

  post(caller: Caller, request: PostedRequest): void {
    const { network, rules, launch } = this.#init;
    const { comm, kind, peer, context, sharing, near, far, nearOffset, farOffset } = request;
    const rank = field(comm, 'rank');
    const bytes = kind === 'signal' ? 0 : request.bytes;
    const own = wordsOf(comm, rank, context);
    if (sharing !== 0) {
      const cta = blockIdxText(caller.cta.blockIdx);
      this.#check(caller, rules.uses(own.signals, { launch, cta, thread: caller.thread }, sharing));
    }
    const nearAt = kind === 'put' || kind === 'get' ? this.#addressIn(caller, near, rank, nearOffset, bytes) : 0;
    const farAt = kind === 'signal' ? 0 : this.#addressIn(caller, far, peer, farOffset, bytes);
    const signal = this.#signalOf(caller, request);
    const counter = request.counter < 0 ? undefined : this.#counterOf(caller, request, own);
    this.#init.posting?.(caller);
    network.post({
      kind,
      rank: this.#init.rank,
      peer: worldRank(comm, peer),
      context,
      from: kind === 'get' ? farAt : nearAt,
      to: kind === 'get' ? nearAt : farAt,
      bytes,
      value: request.value,
      signal,
      counter,
      issued: own.issued + 8 * peer,
      completed: own.completed + 8 * peer,
      queueDepth: field(comm, 'ginQueueDepth'),
      site: caller.site,
      aggregates: request.aggregates !== 0,
      shmem: request.shmem,
    });
  }

  acquire(caller: Caller, address: number): void {
    const { network, rules } = this.#init;
    this.#check(caller, rules.untouched(address));
    network.acquire(address);
    caller.watch?.settle(caller.thread, address);
  }

  reset(caller: Caller, address: number): void {
    const { network, rules, heap } = this.#init;
    this.#check(caller, rules.untouched(address));
    if (network.changes(address)) this.#misuse(caller, networkMisuse.reset());
    caller.watch?.resets(caller.thread, address, caller.site);
    const word = caller.trace?.opens(caller.thread, caller.site, address, 0, 8, 'store', false, undefined);
    heap.views.u64[address / 8] = 0n;
    if (word !== undefined) caller.trace?.closes(word);
    rules.reset(address);
  }

  checkListed(caller: Caller, comm: DevCommValue, peer: number, world: number): void {
    this.#check(caller, unlistedPeer(comm, peer, world));
  }

  release(caller: Caller, comm: DevCommValue, context: number, peer: number): void {
    const { network, rank, posting } = this.#init;
    posting?.(caller);
    network.release(wordsOf(comm, field(comm, 'rank'), context).completed + 8 * peer);
    network.advance({ during: rank });
  }

  deliver(caller: Caller): void {
    const { network, rank, posting } = this.#init;
    posting?.(caller);
    network.deliver(rank);
    network.advance({ during: rank });
  }

  fence(): void {
    const { network, rank } = this.#init;
    network.acquireAll(rank);
  }

  #signalOf(caller: Caller, request: PostedRequest): Signal | undefined {
    const { rules } = this.#init;
    const { at, comm, context, peer, signal, signalWindow, signalOffset, modify, strength } = request;
    if (at === 'none') return undefined;
    const count = field(comm, 'ginSignalCount');
    if (at === 'id' && signal >= count) {
      this.#misuse(caller, networkMisuse.signalPastCount(signal, count));
    }
    const address =
      at === 'id'
        ? wordsOf(comm, peer, context).signals + 8 * signal
        : this.#addressIn(caller, signalWindow, peer, signalOffset, 8);
    if (strength === 'strong' && field(comm, 'ginStrongLegacySignals') === 0) {
      this.#misuse(caller, networkMisuse.strongSignal());
    }
    if (at === 'va' || at === 'symmetric') {
      if (address % 8 !== 0) this.#badAccess(caller, 'misaligned', signalWindow, peer, address, 8);
    }
    if (at === 'va') {
      if (field(comm, 'ginVaSignals') === 0) {
        this.#misuse(caller, networkMisuse.vaSignal());
      }
      if (!signalWindow.copies.strictOrdering) {
        this.#misuse(caller, networkMisuse.looseWindow());
      }
      if (!rules.keeps(address)) rules.keep(address);
      this.#check(caller, rules.untouched(address));
    }
    if (modify !== 'set' && at !== 'symmetric') this.#check(caller, rules.modifies(address, modify));
    return {
      address,
      amount: modify === 'inc' ? 1n : request.amount,
      sets: modify === 'set',
      follows: at === 'symmetric',
      strong: strength === 'strong' || (strength === 'legacy' && field(comm, 'ginStrongLegacySignals') !== 0),
      va: at === 'va',
      rank: worldRank(comm, peer),
    };
  }

  #counterOf(caller: Caller, { comm, counter }: PostedRequest, own: ContextWords): number {
    const count = field(comm, 'ginCounterCount');
    if (counter >= count) this.#misuse(caller, networkMisuse.counterPastCount(counter, count));
    return own.counters + 8 * counter;
  }

  /**
   * Returns the heap address of a window's byte at a rank of its communicator. The bytes that start
   * there belong to the window.
   */
  #addressIn(caller: Caller, window: WindowValue, rank: number, offset: number, bytes: number): number {
    const { copies } = window;
    const address = itemAt(copies.bases, rank) + offset;
    if (offset + bytes > copies.bytes) this.#badAccess(caller, 'outOfBounds', window, rank, address, bytes);
    return address;
  }

  #badAccess(
    { cta, thread, site }: Caller,
    kind: 'outOfBounds' | 'misaligned',
    { copies }: WindowValue,
    rank: number,
    address: number,
    bytes: number,
  ): never {
    const region = itemAt(copies.regions, rank);
    return this.#init.fault(cta, { kind, site, thread, space: 'global', address, bytes, region });
  }

  #check(caller: Caller, wrong: string | undefined): void {
    if (wrong !== undefined) this.#misuse(caller, wrong);
  }

  #misuse({ cta, thread, site }: Caller, message: string): never {
    return this.#init.fault(cta, { kind: 'misuse', site, thread, message });
  }
}

/** Returns the world rank of a rank. */
function worldRank(comm: DevCommValue, rank: number): number {
  return comm.windows['ginStateWindow']?.copies.ranks[rank] ?? rank;
}

function wordsOf(comm: DevCommValue, rank: number, context: number): ContextWords {
  const state = comm.windows['ginStateWindow'];
  const base = state?.copies.bases[rank];
  if (base === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `Rank ${rank} has no GIN state.`);
  const signalCount = field(comm, 'ginSignalCount');
  const counterCount = field(comm, 'ginCounterCount');
  const nRanks = field(comm, 'nRanks');
  const signals = base + context * 8 * (signalCount + counterCount + 2 * nRanks);
  const counters = signals + 8 * signalCount;
  const issued = counters + 8 * counterCount;
  return { signals, counters, issued, completed: issued + 8 * nRanks };
}

function field(comm: DevCommValue, name: string): number {
  const value = comm.fields[name];
  if (value === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `A device communicator has no '${name}'.`);
  return value;
}
