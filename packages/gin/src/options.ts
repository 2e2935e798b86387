import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import {
  anyPointerParam,
  coopParam,
  flagParam,
  orderParam,
  scopeParam,
  u32,
  u64,
  wordParam,
  type CoopLike,
  type OptionsParam,
  type Ptr,
} from '@nccl-ts/kernel';
import type { Window } from '@nccl-ts/devcomm';
import type { Team } from '@nccl-ts/topology';
import { localAction, type LocalAction, type RemoteAction } from './remote-action.ts';

/**
 * The kind of physical memory of both buffers of a request. This library has only one kind. On a
 * GPU a wrong value is an error.
 */
export type Segment = 'device' | 'hostNuma' | 'mixed';

/** Options of a request. */
export interface RequestOptions {
  /**
   * The threads that make the call. The request includes the earlier writes of all of
   * them.
   *
   * @default this thread
   */
  readonly coop?: CoopLike;
  /** 64 bytes of shared memory for the request's descriptor. */
  readonly descriptor?: Ptr;
  /**
   * The scope at which the caller has already released its writes.
   *
   * @default `thread`, which means not at all
   */
  readonly givenRelease?: MemoryScope;
  /**
   * The scope at which the writes must be released for the request to see them.
   *
   * @default `device`
   */
  readonly requiredRelease?: MemoryScope;
  /** Skips the check for room in the queue: the caller promises that there is room. */
  readonly maySkipCreditCheck?: boolean;
  /**
   * True if the request may be held back until another request without this option, or a flush,
   * follows on the same context to the same peer.
   */
  readonly aggregateRequests?: boolean;
  readonly segment?: Segment;
}

/** Options of a put. */
export interface PutOptions extends RequestOptions {
  /** The effect on this rank once the source may be reused. */
  readonly localAction?: LocalAction | undefined;
}

/** A put as an object, in which no two numbers can be exchanged. */
export interface PutRequest {
  readonly team: Team;
  /** The rank in the team. */
  readonly peer: number;
  readonly dst: Window;
  /** In bytes. @default 0 */
  readonly dstOffset?: number;
  readonly src: Window;
  /** In bytes. @default 0 */
  readonly srcOffset?: number;
  readonly bytes: number;
  readonly remote?: RemoteAction | undefined;
  readonly options?: PutOptions | undefined;
}

/** Options of a read of a signal or counter. */
export interface ReadOptions {
  /**
   * The number of low bits that count. Comparisons wrap around at them.
   *
   * @default 64 for signals, 56 for counters
   */
  readonly bits?: number;
  /** @default `acquire`. With `relaxed` only the value itself is visible */
  readonly order?: MemoryOrder;
}

/**
 * Options of a wait that gives up. They require NCCL 2.31; CUDA refuses them with an older version.
 *
 * After `timeoutCycles` the wait returns without its condition. Only the group's first thread
 * waits, so only that thread returns `ResultCode.Timeout` (8). The other threads return 0;
 * broadcast the result if they need it. NCCL documents no order for a wait that gave up, so here it
 * makes nothing visible.
 */
export interface TimedReadOptions extends ReadOptions {
  /** Cycles of the clock that `clock` reads. */
  readonly timeoutCycles: number;
}

/** Options of a wait, which gives up if there is a limit. */
export type WaitOptions = Partial<TimedReadOptions>;

const request = {
  coop: coopParam,
  descriptor: anyPointerParam,
  givenRelease: scopeParam,
  requiredRelease: scopeParam,
  maySkipCreditCheck: flagParam,
  aggregateRequests: flagParam,
  segment: wordParam(['device', 'hostNuma', 'mixed']),
};

export const requestOptions: OptionsParam<RequestOptions> = { kind: 'options', members: request };

export const putOptions: OptionsParam<PutOptions> = { kind: 'options', members: { ...request, localAction } };

const read = { bits: u32, order: orderParam };

export const readOptions: OptionsParam<ReadOptions> = { kind: 'options', members: read };

export const waitOptions: OptionsParam<WaitOptions> = { kind: 'options', members: { ...read, timeoutCycles: u64 } };
