import { memoryOrders, memoryScopes, type MemoryOrder, type MemoryScope } from '@nccl-ts/core';
import { u32, type Accept, type CoopLike, type Ptr } from '@nccl-ts/kernel';
import { localAction, type LocalAction } from './actions.ts';

/**
 * What physical memory both buffers of a request lie in. Ours is all of one kind; a GPU takes a
 * wrong word badly.
 */
export type Segment = 'device' | 'hostNuma' | 'mixed';

/** How a request is made. */
export interface RequestOptions {
  /**
   * The threads that make the call, all of them: what any of them wrote before is in the request.
   * Default: this thread.
   */
  readonly coop?: CoopLike;
  /** 64 bytes of shared memory for the request's descriptor, where there is room. */
  readonly descriptor?: Ptr;
  /**
   * The scope at which the caller has released its writes already. Default: `thread`, that is, not
   * at all.
   */
  readonly givenRelease?: MemoryScope;
  /** The scope at which they must be released for the request to see them. Default: `device`. */
  readonly requiredRelease?: MemoryScope;
  /** Asks for no look at whether the queue has room: there is room, the caller says. */
  readonly maySkipCreditCheck?: boolean;
  /**
   * May be held back until a request without this, or a flush, follows on the same context to the
   * same peer.
   */
  readonly aggregateRequests?: boolean;
  readonly segment?: Segment;
}

/** How data are put. */
export interface PutOptions extends RequestOptions {
  /** What happens here once the source may be used again. */
  readonly localAction?: LocalAction | undefined;
}

/** How a signal or counter is read. */
export interface ReadOptions {
  /**
   * How many low bits count; comparisons go round at them. Default: 64 of signals, 56 of counters.
   */
  readonly bits?: number;
  /** Default: `acquire`. With `relaxed` nothing is visible but the number itself. */
  readonly order?: MemoryOrder;
}

const scope: Accept = { kind: 'word', words: memoryScopes };

const requestMembers = {
  coop: { kind: 'coop' },
  descriptor: { kind: 'anyPointer' },
  givenRelease: scope,
  requiredRelease: scope,
  maySkipCreditCheck: { kind: 'constant' },
  aggregateRequests: { kind: 'constant' },
  segment: { kind: 'word', words: ['device', 'hostNuma', 'mixed'] },
} as const satisfies Readonly<Record<string, Accept>>;

export const requestOptions: Accept = { kind: 'options', members: requestMembers };

export const putOptions: Accept = { kind: 'options', members: { ...requestMembers, localAction } };

export const readOptions: Accept = {
  kind: 'options',
  members: { bits: u32, order: { kind: 'word', words: memoryOrders } },
};
