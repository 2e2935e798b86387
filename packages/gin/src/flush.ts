import { memoryOrders, ResultCode, type MemoryOrder } from '@nccl-ts/core';
import { acquireOrder, team, waitInTime } from '@nccl-ts/devcomm';
import {
  deviceFn,
  i32,
  intrinsic,
  ptr,
  structParam,
  u64,
  type Coop,
  type DeviceFn,
  type Ptr,
  type StructParam,
} from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { ginStruct, type GinParts } from './impl/gin-struct.ts';
import { release } from './impl/primitives.ts';
import { reachedPeer } from './impl/send.ts';
import { checkContext, completedWord, issuedWord } from './impl/state-words.ts';

/**
 * The result of `flushAsync` and the argument of `wait`: the requests to one peer up to a certain
 * time. It is two opaque words, which may be passed on and stored.
 *
 * @see ncclGinRequest_t
 */
export interface GinRequest {
  readonly first: number;
  readonly second: number;
}

/** The parameter type for a `GinRequest`. */
export const ginRequest: StructParam<GinRequest, never> = structParam({
  struct: 'GinRequest',
  fields: { first: u64, second: u64 },
});

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;

const order = { kind: 'word', words: memoryOrders } as const;

/**
 * `net.flush(coop, order?)`: returns, to all threads of `coop`, once all requests that any of them
 * posted earlier on this context are locally complete. Their sources may then be reused, and the
 * data of gets has arrived. Flush does not guarantee that puts have arrived at the peers.
 *
 * `net.flush(coop, order, timeoutCycles)` gives up after these cycles. Each thread flushes its
 * share of the peers and returns 0, or `ResultCode.Timeout` (8) if one of its own was late. So
 * threads may disagree, and a 0 says nothing about the shares of other threads. Requires NCCL 2.31.
 *
 * @see ncclGin::flush
 */
export const flush: DeviceFn<
  (self: GinParts, coop: Coop, order?: MemoryOrder, timeoutCycles?: number) => number | undefined
> = intrinsic(
  {
    name: 'gin.flush',
    use: { issuedWord, completedWord, checkContext, release, acquireOrder, waitInTime, TIMEOUT },
    params: { self: ginStruct, coop: { kind: 'coop' }, 'order?': order, 'timeoutCycles?': u64 },
  },
  (
    { issuedWord, completedWord, checkContext, release, acquireOrder, waitInTime, TIMEOUT, clock, u32 },
    self: GinParts,
    coop: Coop,
    order?: MemoryOrder,
    timeoutCycles?: number,
  ) => {
    const asked = order === undefined ? 'acquire' : order;
    checkContext(self);
    coop.sync();
    for (let i = coop.threadRank(); i < self.comm.nRanks; i += coop.size()) release(self.comm, self.index, i);
    const isComplete = (i: number): boolean =>
      completedWord(self, i).load(0, acquireOrder(asked), 'system') >= issuedWord(self, i).load(0);
    if (timeoutCycles !== undefined) {
      const start = clock();
      let result = u32(0);
      for (let i = coop.threadRank(); i < self.comm.nRanks; i += coop.size()) {
        if (!waitInTime(() => isComplete(i), start, timeoutCycles)) {
          result = u32(TIMEOUT);
          break;
        }
      }
      coop.sync();
      return result;
    }
    coop.waitAll(self.comm.nRanks, isComplete);
    coop.sync();
    return undefined;
  },
);

/** Like `flushAsync`, but stores the request's words at `into`. */
const beginFlush: DeviceFn<(self: GinParts, team: Team, peer: number, into: Ptr) => void> = intrinsic(
  {
    name: 'gin.flushAsync',
    use: { reachedPeer, issuedWord, release },
    params: { self: ginStruct, team, peer: i32, into: ptr(u64) },
  },
  ({ reachedPeer, issuedWord, release, u64 }, self: GinParts, team: Team, peer: number, into: Ptr) => {
    const world = reachedPeer(self, team, peer);
    release(self.comm, self.index, world);
    into.store(0, u64(world));
    into.store(1, issuedWord(self, world).load(0));
  },
);

/**
 * `net.flushAsync(team, peer)`: starts to flush the requests to one peer, and immediately returns a
 * request for `wait`.
 *
 * @see ncclGin::flushAsync
 */
export const flushAsync: DeviceFn<(self: GinParts, team: Team, peer: number) => GinRequest> = deviceFn(
  { name: 'gin.flushAsync', use: { beginFlush, GinRequest: ginRequest } },
  ({ beginFlush, GinRequest, localArray, u64 }, self: GinParts, team: Team, peer: number) => {
    const words = localArray(u64, 2);
    beginFlush(self, team, peer, words);
    return GinRequest({ first: words.load(0), second: words.load(1) });
  },
);

/**
 * `net.wait(request, order?)`: returns to the calling thread once the requests are locally
 * complete. `net.wait(request, order, timeoutCycles)` gives up after these cycles, and returns 0 or
 * `ResultCode.Timeout` (8). Requires NCCL 2.31.
 *
 * @see ncclGin::wait
 */
export const wait: DeviceFn<
  (self: GinParts, request: GinRequest, order?: MemoryOrder, timeoutCycles?: number) => number | undefined
> = intrinsic(
  {
    name: 'gin.wait',
    use: { completedWord, acquireOrder, waitInTime, TIMEOUT },
    params: { self: ginStruct, request: ginRequest, 'order?': order, 'timeoutCycles?': u64 },
  },
  (
    { completedWord, acquireOrder, waitInTime, TIMEOUT, clock, waitUntil, i32, u32 },
    self: GinParts,
    request: GinRequest,
    order?: MemoryOrder,
    timeoutCycles?: number,
  ) => {
    const asked = order === undefined ? 'acquire' : order;
    const done = completedWord(self, i32(request.first));
    const isComplete = (): boolean => done.load(0, acquireOrder(asked), 'system') >= request.second;
    if (timeoutCycles !== undefined) return waitInTime(isComplete, clock(), timeoutCycles) ? u32(0) : u32(TIMEOUT);
    waitUntil(isComplete);
    return undefined;
  },
);
