import { window, type Window } from '@nccl-ts/devcomm';
import {
  addr,
  i32,
  primitive,
  u32,
  u64,
  wordParam,
  type AnyPointerParam,
  type DeviceFn,
  type Ptr,
} from '@nccl-ts/kernel';
import { cftElements, cftOps } from '../reductions.ts';

/** The effect of an operation. */
export type OperationKind = 'put' | 'get';

/** `red` combines into the destination, `pullRed` all copies into shared memory. */
export type ReductionKind = 'red' | 'pullRed';

/** The endpoint that an operation must be given. */
export type EndpointKind = 'unicast' | 'multicast';

/** `counted` if the destination counts the bytes that have arrived. */
export type Counting = 'plain' | 'counted';

export const shared: AnyPointerParam = { kind: 'anyPointer', space: 'shared' };

/**
 * Returns the number of the endpoint of `peer`, a rank of the communicator, or of the ranks of a
 * multicast group. A window with counted endpoints has other numbers.
 */
export const leIdOf: DeviceFn<(win: Window, endpoint: EndpointKind, peer: number) => number> = primitive({
  name: 'cft.leIdOf',
  params: { win: window, endpoint: wordParam(['unicast', 'multicast']), peer: i32 },
  result: u32,
});

/** Returns the offset of a window's first byte in each endpoint that reaches it. */
export const leBaseOf: DeviceFn<(win: Window) => number> = primitive({
  name: 'cft.leBaseOf',
  params: { win: window },
  result: addr,
});

/** Starts the state at `smem`. One thread calls it. */
export const begin: DeviceFn<(smem: Ptr) => void> = primitive({ name: 'cft.begin', params: { smem: shared } });

/** Ends the state at `smem`. No operation may be left. One thread calls it. */
export const end: DeviceFn<(smem: Ptr) => void> = primitive({ name: 'cft.end', params: { smem: shared } });

/**
 * Initiates an operation. One thread calls it. The operation may take effect once the thread has
 * submitted it. `near` is the memory of the CTA. Each bit of `mask` selects one byte of each 16
 * that are written.
 */
export const post: DeviceFn<
  (
    smem: Ptr,
    kind: OperationKind,
    endpoint: EndpointKind,
    counting: Counting,
    leId: number,
    leOffset: number,
    counterOffset: number,
    near: Ptr,
    bytes: number,
    mask: number,
  ) => void
> = primitive({
  name: 'cft.post',
  params: {
    smem: shared,
    kind: wordParam(['put', 'get']),
    endpoint: wordParam(['unicast', 'multicast']),
    counting: wordParam(['plain', 'counted']),
    leId: u32,
    leOffset: u64,
    counterOffset: u64,
    near: shared,
    bytes: u32,
    mask: u32,
  },
});

/**
 * Initiates a reduction, as `post` does an operation. `op` combines elements of type `element`, one
 * by one.
 */
export const postRed: DeviceFn<
  (
    kind: string,
    endpoint: string,
    counting: string,
    op: string,
    element: string,
    smem: Ptr,
    leId: number,
    leOffset: number,
    counterOffset: number,
    near: Ptr,
    bytes: number,
  ) => void
> = primitive({
  name: 'cft.postRed',
  params: {
    kind: wordParam(['red', 'pullRed']),
    endpoint: wordParam(['unicast', 'multicast']),
    counting: wordParam(['plain', 'counted']),
    op: wordParam(cftOps),
    element: wordParam(cftElements),
    smem: shared,
    leId: u32,
    leOffset: u64,
    counterOffset: u64,
    near: shared,
    bytes: u32,
  },
});

/**
 * The u32 at byte `offset` of the window at `peer`, a rank of the communicator, grows by 1: one
 * step, relaxed, at system scope. It is there when the call returns.
 */
export const arriveAt: DeviceFn<(win: Window, offset: number, peer: number) => void> = primitive({
  name: 'cft.arriveAt',
  params: { win: window, offset: addr, peer: i32 },
});

/** Lets the thread's operations go. */
export const submit: DeviceFn<(smem: Ptr) => void> = primitive({ name: 'cft.submit', params: { smem: shared } });

/**
 * Ends the phase. Once its operations are complete, the first word at `smem` counts one more phase.
 * One thread calls it.
 */
export const arrive: DeviceFn<(smem: Ptr) => void> = primitive({ name: 'cft.arrive', params: { smem: shared } });

/**
 * Records that the sources of the thread's submitted operations have been read, so that the thread
 * may write them.
 */
export const settleReads: DeviceFn<(smem: Ptr) => void> = primitive({
  name: 'cft.settleReads',
  params: { smem: shared },
});
