import { at as itemAt } from '@nccl-ts/core';
import type { Heap } from '../memory/heap.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { NetworkObserver, NetworkWatch } from './network-listeners.ts';
import type { NetworkRules } from './network-rules.ts';
import type { Domain, OtherStep, Request, RequestStep, Signal, NetworkStep, StepKind } from './request.ts';

/** When the network performs possible steps: at once, at random times, or as late as possible. */
export type DeliveryTiming = 'prompt' | 'random' | 'late';

export interface NetworkOptions {
  readonly heap: Heap;
  readonly scheduler: Scheduler;
  readonly delivery: DeliveryTiming;
  readonly rules: NetworkRules;
  /** Receives every step, with the number of its request or other operation. */
  readonly onStep: (operation: number, kind: StepKind) => void;
  readonly observer?: NetworkObserver | undefined;
  readonly checker?: NetworkWatch | undefined;
}

/** A request as it is posted. Its addresses are heap addresses. */
export interface Post {
  readonly kind: Request['kind'];
  /** The rank that posts it, and the target rank. */
  readonly rank: number;
  readonly peer: number;
  readonly context: number;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  /** The bytes, for `putValue`. */
  readonly value: bigint;
  readonly signal: Signal | undefined;
  readonly counter: number | undefined;
  readonly issued: number;
  readonly completed: number;
  /**
   * The largest number of pending requests to one peer. A further request waits until the oldest is
   * locally complete.
   */
  readonly queueDepth: number;
  /** The location in the kernel. */
  readonly site: number;
  /** True if the request may be held back. */
  readonly aggregates: boolean;
  /**
   * For a request of NVSHMEM: true if the call returns once the source has been read or, for a get,
   * once all is complete.
   */
  readonly shmem?: { readonly blocks: boolean } | undefined;
}

/** Transfers of more bytes arrive in two pieces. */
const PIECE = 8;

/**
 * With the latest possible delivery, signals come first, so that waits end before their data has
 * arrived.
 */
const lateOrder: readonly StepKind[] = ['signal', 'read', 'write'];

/**
 * Pending work between ranks. Requests are divided into steps. The scheduler selects the next step,
 * within the limits of NCCL's guarantees.
 *
 * A signal changes after the sources that it covers were read, and may change before their data is
 * written. The network *owes* this data to readers of the signal with acquire order, and writes it
 * then in every schedule. A read that does not acquire makes no data visible.
 */
export class Network {
  readonly #options: NetworkOptions;
  readonly #domains = new Map<number, Domain>();
  /** The steps that are possible now, in no order. */
  readonly #ready: NetworkStep[] = [];
  /** By address of a signal: its rank, and the unwritten requests that signals there cover. */
  readonly #owed = new Map<number, { readonly rank: number; readonly requests: Set<Request> }>();
  /** By address of a signal or counter: its pending changes. */
  readonly #underway = new Map<number, number>();
  #posted = 0;
  #possible = 0;
  /** The last step, if no CTA has run since. */
  #last: NetworkStep | undefined;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  post(post: Post): void {
    const { delivery } = this.#options;
    const domain = this.#domain(post);
    this.#count(post.issued);
    while (domain.incomplete.length >= post.queueDepth) this.#completeOldest(domain);
    const pieces = piecesOf(post, delivery);
    const carries = post.kind === 'put' || post.kind === 'putValue';
    const request: Request = {
      domain,
      order: this.#posted++,
      number: domain.posted++,
      kind: post.kind,
      rank: post.rank,
      peer: post.peer,
      context: post.context,
      held: post.aggregates,
      isShmem: post.shmem !== undefined,
      from: post.from,
      to: post.to,
      bytes: post.bytes,
      signal: post.signal,
      counter: post.counter,
      data: new Uint8Array(post.bytes),
      steps: new Set(),
      unread: post.kind === 'putValue' ? 0 : pieces.length,
      unwritten: pieces.length + (post.signal?.follows === true ? 1 : 0),
    };
    this.#options.observer?.posted(request, post.queueDepth, post.site);
    this.#options.checker?.posted(request);
    domain.incomplete.push(request);
    if (carries && request.unwritten > 0) domain.unwritten.push(request);
    if (post.kind === 'putValue') {
      let rest = post.value;
      for (let i = 0; i < post.bytes; i++, rest >>= 8n) request.data[i] = Number(rest & 0xffn);
    }
    const kind = post.kind === 'putValue' ? 'write' : 'read';
    for (const { offset, bytes } of pieces) request.steps.add(this.#step(request, kind, offset, bytes));
    if (post.signal !== undefined) {
      if (!mustFollow(request)) request.steps.add(this.#step(request, 'signal', 0, 8));
      this.#change(post.signal.address, 1);
    }
    if (post.counter !== undefined) this.#change(post.counter, 1);
    if (post.aggregates) domain.held.push(request);
    else {
      this.#letGo(domain);
      this.#enableAll(request);
    }
    this.#complete(domain);
    if (post.shmem?.blocks === true) {
      this.#read(request);
      if (request.kind === 'get') this.#write(request);
      this.#options.checker?.returns(request);
    }
    this.advance({ during: post.rank });
  }

  /**
   * Handles a fence of NVSHMEM by a thread of the rank. The earlier puts of the rank arrive now,
   * which the thread does not learn of.
   */
  deliver(rank: number): void {
    this.#options.checker?.fences();
    for (const { unwritten } of this.#domains.values())
      for (const request of unwritten.filter((one) => one.rank === rank)) this.#write(request);
  }

  /** Adds a possible step of something else, which is chosen like the steps of requests. */
  enable(init: Omit<OtherStep, 'order' | 'at'>): void {
    this.#enable({ ...init, order: this.#possible++, at: -1 });
  }

  /**
   * Called when a flush begins, which releases the held-back requests of a domain. `completed` is
   * the address of the domain's word.
   */
  release(completed: number): void {
    const domain = this.#domains.get(completed);
    if (domain === undefined) return;
    this.#options.checker?.flushes(completed);
    this.#options.checker?.released(completed);
    this.#letGo(domain);
  }

  /**
   * A moment at which the network may perform a step: `during` the slice of a CTA of that rank, or
   * between slices. With `continuesStep` it directly follows the network's last step. Returns true
   * if it performed one.
   */
  advance({
    during,
    continuesStep = false,
  }: { readonly during?: number; readonly continuesStep?: boolean } = {}): boolean {
    const { delivery, scheduler } = this.#options;
    if (!continuesStep) this.#last = undefined;
    if (delivery === 'late') return false;
    let moved = false;
    while (this.#ready.length > 0) {
      const choice =
        delivery === 'prompt' ? 0 : scheduler.nextDelivery(this.#ready, false, { after: this.#last, during });
      const step = this.#ready[choice];
      if (step === undefined) break;
      this.#take(step);
      this.#last = step;
      moved = true;
    }
    return moved;
  }

  /**
   * A moment at which nothing else can happen, so the network performs one step. Returns true if
   * there was one.
   */
  advanceOne(): boolean {
    const { delivery, scheduler } = this.#options;
    if (this.#ready.length === 0) return false;
    const candidates = delivery === 'late' ? this.#latest() : this.#ready;
    const choice =
      delivery === 'prompt' ? 0 : scheduler.nextDelivery(candidates, true, { after: this.#last, during: undefined });
    const step = candidates[choice] ?? candidates[0];
    if (step === undefined) return false;
    this.#take(step);
    this.#last = step;
    return true;
  }

  /**
   * Writes the data that is owed to a thread that has read the signal at `address` with acquire
   * order.
   */
  acquire(address: number): void {
    const owed = this.#owed.get(address);
    if (owed === undefined) return;
    this.#owed.delete(address);
    for (const request of owed.requests) this.#write(request);
  }

  /** Like `acquire`, for every signal of a rank. */
  acquireAll(rank: number): void {
    for (const [address, owed] of this.#owed) if (owed.rank === rank) this.acquire(address);
  }

  /** True if a change of a signal or counter at `address` is pending. */
  changes(address: number): boolean {
    return (this.#underway.get(address) ?? 0) > 0;
  }

  /** Describes the pending work as text, which is equal for equal futures. */
  describe(): string {
    const steps = this.#ready
      .map((step) => (step.request === undefined ? step.name() : `${nameOf(step.request)}.${step.kind}${step.offset}`))
      .toSorted();
    const read = new Set(this.#ready.flatMap(({ request }) => request ?? []));
    const data = [...read].map((request) => `${nameOf(request)}=${request.data.join('.')}`).toSorted();
    const held = [...this.#domains.values()].flatMap((domain) => domain.held.map(nameOf)).toSorted();
    const owed = [...this.#owed].map(([at, { requests }]) => `${at}:${[...requests].map(nameOf).toSorted().join('+')}`);
    return [steps, data, held, owed.toSorted()].map((list) => list.join()).join('/');
  }

  /**
   * Performs all pending work. Later requests continue the numbers, which identify requests for the
   * lifetime of the world.
   */
  drain(): void {
    for (const domain of this.#domains.values()) this.#letGo(domain);
    for (let step = this.#ready[0]; step !== undefined; step = this.#ready[0]) this.#take(step);
    this.#owed.clear();
  }

  #domain({ completed }: Post): Domain {
    const known = this.#domains.get(completed);
    if (known !== undefined) return known;
    const domain: Domain = { completed, incomplete: [], unwritten: [], held: [], posted: 0 };
    this.#domains.set(completed, domain);
    return domain;
  }

  #step(request: Request, kind: StepKind, offset: number, bytes: number): RequestStep {
    const base = baseOf(request, kind);
    const low = base + offset;
    const writes = kind !== 'read';
    const ranks = ranksOf(request, kind);
    return { kind, request, offset, order: this.#possible++, ranks, writes, low, high: low + bytes, at: -1 };
  }

  #letGo(domain: Domain): void {
    for (const request of domain.held.splice(0)) this.#enableAll(request);
  }

  #enableAll(request: Request): void {
    this.#options.observer?.letGo(request);
    for (const step of request.steps) this.#enable(step);
  }

  #enable(step: NetworkStep): void {
    step.at = this.#ready.push(step) - 1;
  }

  /** The steps of the kind that comes first if data comes last. */
  #latest(): readonly NetworkStep[] {
    for (const kind of lateOrder) {
      const steps = this.#ready.filter((step) => step.kind === kind);
      if (steps.length > 0) return steps;
    }
    return this.#ready;
  }

  #take(step: NetworkStep): void {
    if (step.request !== undefined) {
      this.#takeOf(step);
      return;
    }
    this.#remove(step);
    this.#options.onStep(step.operation, step.kind);
    step.take();
  }

  #takeOf(step: RequestStep): void {
    const { request } = step;
    const { heap } = this.#options;
    request.steps.delete(step);
    this.#remove(step);
    this.#options.onStep(request.order, step.kind);
    switch (step.kind) {
      case 'read': {
        this.#options.checker?.reads(request, step.low, step.high);
        request.data.set(heap.views.u8.subarray(step.low, step.high), step.offset);
        request.unread--;
        const write = this.#step(request, 'write', step.offset, step.high - step.low);
        request.steps.add(write);
        this.#enable(write);
        break;
      }
      case 'write':
        this.#options.checker?.writes(request, step.low, step.high);
        heap.views.u8.set(request.data.subarray(step.offset, step.offset + step.high - step.low), step.low);
        if (--request.unwritten === 0) drop(request.domain.unwritten, request);
        if (mustFollow(request) || request.signal?.follows !== true) break;
        this.#enableSignal(request);
        break;
      case 'signal':
        this.#signal(request);
        break;
    }
    this.#complete(request.domain);
  }

  /** Removes a step from the list. A held-back step is not on it. */
  #remove(step: NetworkStep): void {
    if (step.at === -1) return;
    const last = this.#ready.pop();
    if (last !== undefined && last !== step) {
      this.#ready[step.at] = last;
      last.at = step.at;
    }
    step.at = -1;
  }

  #signal(request: Request): void {
    const { signal, domain } = request;
    if (signal === undefined) return;
    const covered = coveredBy(request, signal);
    for (const one of covered) this.#read(one);
    const { u64 } = this.#options.heap.views;
    const index = signal.address / 8;
    if (signal.va) this.#options.rules.checkUntouched(signal.address);
    this.#options.checker?.signals(request, signal.address, signal.strong);
    const held = itemAt(u64, index);
    u64[index] = BigInt.asUintN(64, signal.sets ? signal.amount : held + signal.amount);
    this.#options.observer?.signalled(request, held);
    if (signal.va) this.#options.rules.keep(signal.address);
    this.#change(signal.address, -1);
    if (signal.follows) {
      if (--request.unwritten === 0) drop(domain.unwritten, request);
      return;
    }
    if (covered.length === 0) return;
    const owed = this.#owed.get(signal.address) ?? { rank: signal.rank, requests: new Set() };
    for (const one of covered) owed.requests.add(one);
    this.#owed.set(signal.address, owed);
  }

  /** Performs all remaining reads of a request now. */
  #read(request: Request): void {
    for (const step of request.steps) if (step.kind === 'read') this.#take(step);
  }

  /** Performs all remaining reads and writes of a request now, and a signal that follows them. */
  #write(request: Request): void {
    this.#read(request);
    for (const step of request.steps) if (step.kind === 'write') this.#take(step);
    if (request.signal?.follows !== true) return;
    for (const step of request.steps) if (step.kind === 'signal') this.#take(step);
  }

  /** Makes the signal possible that follows the last write of its request. */
  #enableSignal(request: Request): void {
    const step = this.#step(request, 'signal', 0, 8);
    request.steps.add(step);
    this.#enable(step);
  }

  /**
   * Counts the locally complete requests, in order. A get is complete when it is written, other
   * requests when they are read.
   */
  #complete(domain: Domain): void {
    for (let first = domain.incomplete[0]; first !== undefined; first = domain.incomplete[0]) {
      if (first.unread > 0 || (first.kind === 'get' && first.unwritten > 0)) return;
      domain.incomplete.shift();
      this.#count(domain.completed, first);
      if (first.counter !== undefined) {
        this.#count(first.counter, first);
        this.#change(first.counter, -1);
      }
    }
  }

  #completeOldest(domain: Domain): void {
    this.#letGo(domain);
    const [oldest] = domain.incomplete;
    if (oldest === undefined) return;
    this.#read(oldest);
    if (oldest.kind === 'get') this.#write(oldest);
  }

  /** Adds one, on behalf of a completed request if one is given. */
  #count(address: number, completed?: Request): void {
    const { u64 } = this.#options.heap.views;
    if (completed !== undefined) this.#options.checker?.completes(completed, address);
    const count = itemAt(u64, address / 8);
    u64[address / 8] = count + 1n;
    if (completed !== undefined) this.#options.observer?.completed(completed, address, count);
  }

  #change(address: number, by: number): void {
    const left = (this.#underway.get(address) ?? 0) + by;
    if (left === 0) this.#underway.delete(address);
    else this.#underway.set(address, left);
  }
}

function piecesOf(
  { kind, bytes }: Post,
  delivery: DeliveryTiming,
): readonly { readonly offset: number; readonly bytes: number }[] {
  if (kind === 'signal' || bytes === 0) return [];
  if (delivery === 'prompt' || kind === 'putValue' || bytes <= PIECE) return [{ offset: 0, bytes }];
  const half = Math.ceil(bytes / 2 / PIECE) * PIECE;
  return [
    { offset: 0, bytes: half },
    { offset: half, bytes: bytes - half },
  ];
}

/** Identifies a request by its effects, independent of the order of posts. */
function nameOf({ domain, number }: Request): string {
  return `${domain.completed}#${number}`;
}

/**
 * Returns the ranks whose memory a step accesses, or whose memory the steps access that it enables.
 */
function ranksOf({ kind, rank, peer }: Request, step: StepKind): readonly number[] {
  // The signal of a put comes with the last reads of the sources that it covers.
  if (step === 'signal') return [rank, peer];
  if (kind === 'get') return step === 'read' ? [rank, peer] : [rank];
  return step === 'read' ? [rank] : [peer];
}

/** The puts that a signal covers, as far as they are not written yet. */
function coveredBy(request: Request, { follows, strong }: Signal): readonly Request[] {
  if (follows || (!strong && request.unwritten === 0)) return [];
  return strong ? before(request.domain.unwritten, request) : [request];
}

/** True if the signal of a request must wait for its data. */
function mustFollow({ signal, unwritten }: Request): boolean {
  return signal?.follows === true && unwritten > 1;
}

/** Returns the requests up to `last`, including `last` if it is in the list. */
function before(list: readonly Request[], last: Request): readonly Request[] {
  const end = list.findIndex((request) => request.order > last.order);
  return end === -1 ? list : list.slice(0, end);
}

function drop(list: Request[], request: Request): void {
  const index = list.indexOf(request);
  if (index !== -1) list.splice(index, 1);
}

/** Returns the address at which a step of a kind starts to access memory. */
function baseOf({ signal, from, to }: Request, kind: StepKind): number {
  if (kind !== 'signal') return kind === 'read' ? from : to;
  if (signal === undefined) throw new Error('A request without a signal cannot signal.');
  return signal.address;
}
