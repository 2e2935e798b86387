import { at, type FlowPoint, type TrackId } from '@nccl-ts/core';
import type { TracedRequest } from './traced-machine.ts';
import { BusyTimes } from './busy-times.ts';
import type { CostModel } from '../cost-model.ts';
import type { CtaClock } from './cta-trace.ts';
import type { TraceLog } from './trace-log.ts';
import type { WordHistories } from './word-histories.ts';

export interface NetworkTraceOptions {
  readonly cost: CostModel;
  readonly log: TraceLog;
  readonly words: WordHistories;
  /** Returns the CTA that is running. */
  readonly current: () => CtaClock | undefined;
}

/** The requests of one rank to one peer on one context, in the order of their release. */
interface TracedQueue {
  readonly track: TrackId;
  /** The time at which the last request left the queue. */
  free: number;
  /** The time at which the last request was known to be complete. */
  complete: number;
  /** The completion time of each request. */
  readonly completions: number[];
  posted: number;
}

/** The times of a request. */
interface RequestTimes {
  readonly queue: TracedQueue;
  readonly posted: FlowPoint;
  /** The point at which the request left the queue. */
  sent: FlowPoint;
  /** The time at which the peer has all of the data. */
  arrival: number;
  /** The time at which the posting rank knows that. */
  complete: number;
}

/**
 * The network's time. Each queue sends its requests one after the other, when the NIC that its
 * rank's queues share is free.
 */
export class NetworkTrace {
  readonly #options: NetworkTraceOptions;
  readonly #queues = new Map<string, TracedQueue>();
  readonly #nics = new Map<number, BusyTimes>();
  readonly #times = new WeakMap<TracedRequest, RequestTimes>();

  constructor(options: NetworkTraceOptions) {
    this.#options = options;
  }

  posted(request: TracedRequest, queueDepth: number, site: number): void {
    const cta = this.#options.current();
    if (cta === undefined) return;
    const queue = this.#queueOf(request);
    const { messageTime } = this.#options.cost.network;
    const first = queue.posted++ - queueDepth;
    if (first >= 0) cta.holdUp(at(queue.completions, first));
    const category = request.kind === 'putValue' ? 'put' : request.kind;
    const time = cta.operation(nameOf(request), category, messageTime, argsOf(request), site);
    const posted: FlowPoint = { track: cta.track, time, side: 'starting' };
    this.#times.set(request, { queue, posted, sent: posted, arrival: time, complete: time });
  }

  letGo(request: TracedRequest): void {
    const times = this.#times.get(request);
    if (times === undefined) return;
    const { queue, posted } = times;
    const { log, cost, current } = this.#options;
    const { latency, bandwidth, messageTime } = cost.network;
    const occupied = messageTime + request.bytes / bandwidth;
    // A held-back request leaves when another request releases it, at the time of that request's
    // CTA.
    const from = Math.max(posted.time, request.held ? (current()?.now ?? 0) : 0, queue.free);
    const start = this.#nicOf(request.rank).take(from, occupied);
    const end = start + occupied;
    queue.free = end;
    times.sent = { track: queue.track, time: end, side: 'ending' };
    times.arrival = end + (request.kind === 'get' ? 2 : 1) * latency;
    queue.complete = Math.max(queue.complete, end + 2 * latency);
    times.complete = queue.complete;
    queue.completions.push(queue.complete);
    const args = { ...argsOf(request), arrives: times.arrival };
    log.slice(queue.track, { name: nameOf(request), category: 'network', start, end, args });
    log.arrow({ name: 'post', from: posted, to: { track: queue.track, time: start, side: 'starting' } });
  }

  signalled(request: TracedRequest, before: bigint): void {
    const { signal } = request;
    const times = this.#times.get(request);
    if (signal === undefined || times === undefined) return;
    const { sent, arrival } = times;
    const source = { rank: request.rank, track: sent.track, made: sent.time, seen: arrival, name: 'signal' } as const;
    this.#options.words.added(signal.address, before, signal.amount, source);
  }

  completed(request: TracedRequest, address: number, before: bigint): void {
    const times = this.#times.get(request);
    if (times === undefined) return;
    const { sent, complete } = times;
    const source = {
      rank: request.rank,
      track: sent.track,
      made: sent.time,
      seen: complete,
      name: 'complete',
    } as const;
    this.#options.words.added(address, before, 1n, source);
  }

  #queueOf({ rank, peer, context }: TracedRequest): TracedQueue {
    const key = `${rank},${context},${peer}`;
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    const name = `context ${context} to rank ${peer}`;
    const order = context * 2 ** 13 + peer;
    const track = this.#options.log.openTrack(rank, { kind: 'network', name, order });
    const queue = { track, free: 0, complete: 0, completions: [], posted: 0 };
    this.#queues.set(key, queue);
    return queue;
  }

  #nicOf(rank: number): BusyTimes {
    const nic = this.#nics.get(rank) ?? new BusyTimes();
    this.#nics.set(rank, nic);
    return nic;
  }
}

function nameOf({ kind, signal }: TracedRequest): string {
  const what = kind === 'putValue' ? 'put' : kind;
  return signal !== undefined && what !== 'signal' ? `${what} and signal` : what;
}

function argsOf({ peer, context, bytes }: TracedRequest): Readonly<Record<string, number>> {
  return { peer, context, bytes };
}
