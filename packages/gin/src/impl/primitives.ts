import { window, devComm, type DevComm, type Window } from '@nccl-ts/devcomm';
import { addr, anyPointerParam, i32, primitive, u32, u64, wordParam, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

export type RequestKind = 'put' | 'putValue' | 'get' | 'signal';

/**
 * Posts a request to the network; one thread calls it. The network decides when each step takes
 * effect.
 *
 * `peer` is a world rank. `near` is the caller's memory, and `far` the peer's. `putValue` uses the
 * low `bytes` of `value` instead of near memory. `at` is the word of the peer that the signal
 * changes, if there is one. `counter` is -1 for none. A request with `aggregates` may be held back
 * until another one follows or a flush needs it.
 */
export const post: DeviceFn<
  (
    comm: DevComm,
    context: number,
    sharing: number,
    kind: RequestKind,
    peer: number,
    near: Window,
    nearOffset: number,
    far: Window,
    farOffset: number,
    bytes: number,
    value: number,
    at: 'none' | 'id' | 'va',
    modify: 'inc' | 'add',
    strength: 'weak' | 'strong' | 'legacy',
    signal: number,
    signalWindow: Window,
    signalOffset: number,
    amount: number,
    counter: number,
    aggregates: number,
  ) => void
> = primitive({
  name: 'gin.post',
  params: {
    comm: devComm,
    context: u32,
    sharing: u32,
    kind: wordParam(['put', 'putValue', 'get', 'signal']),
    peer: i32,
    near: window,
    nearOffset: addr,
    far: window,
    farOffset: addr,
    bytes: addr,
    value: u64,
    at: wordParam(['none', 'id', 'va']),
    modify: wordParam(['inc', 'add']),
    strength: wordParam(['weak', 'strong', 'legacy']),
    signal: u32,
    signalWindow: window,
    signalOffset: addr,
    amount: u64,
    counter: i32,
    aggregates: u32,
  },
});

/**
 * Makes visible the puts that the signals at a word cover. This is the second half of an acquiring
 * read of it.
 */
export const acquireSignal: DeviceFn<(word: Ptr) => void> = primitive({
  name: 'gin.acquire',
  params: { word: anyPointerParam },
});

/** Sets a signal or counter to 0. No request that changes it may be in flight. */
export const resetWord: DeviceFn<(word: Ptr) => void> = primitive({
  name: 'gin.reset',
  params: { word: anyPointerParam },
});

/**
 * Checks that `world`, a world rank, and the calling rank list each other, for connections of lists
 * of ranks. `peer` is its rank in the team of the request.
 */
export const checkListed: DeviceFn<(comm: DevComm, peer: number, world: number) => void> = primitive({
  name: 'gin.checkListed',
  params: { comm: devComm, peer: i32, world: i32 },
});

/** Releases the held-back requests to world rank `peer`. */
export const release: DeviceFn<(comm: DevComm, context: number, peer: number) => void> = primitive({
  name: 'gin.release',
  params: { comm: devComm, context: u32, peer: i32 },
});
