import { ResultCode } from '@nccl-ts/core';
import { acquireOrder, team, waitInTime } from '@nccl-ts/devcomm';
import { coopParam, deviceFn, i32, intrinsic, orderParam, ptr, u64, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { GinMethod } from './gin-context.ts';
import { ginRequest } from './gin-request.ts';
import { ginStruct, type GinParts } from './impl/gin-struct.ts';
import { release } from './impl/primitives.ts';
import { reachedPeer } from './impl/send.ts';
import { checkContext, completedWord, issuedWord } from './impl/state-words.ts';

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;

export const flush: GinMethod<'flush'> = intrinsic(
  {
    name: 'gin.flush',
    use: { issuedWord, completedWord, checkContext, release, acquireOrder, waitInTime, TIMEOUT },
    params: { self: ginStruct, coop: coopParam, 'order?': orderParam, 'timeoutCycles?': u64 },
  },
  (
    { issuedWord, completedWord, checkContext, release, acquireOrder, waitInTime, TIMEOUT, clock, u32 },
    { self, coop, order, timeoutCycles },
  ) => {
    const requested = order === undefined ? 'acquire' : order;
    checkContext(self);
    coop.sync();
    for (let i = coop.threadRank(); i < self.comm.nRanks; i += coop.size()) release(self.comm, self.index, i);
    const isComplete = (i: number): boolean =>
      completedWord(self, i).load(0, acquireOrder(requested), 'system') >= issuedWord(self, i).load(0);
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
  ({ reachedPeer, issuedWord, release, u64 }, { self, team, peer, into }) => {
    const world = reachedPeer(self, team, peer);
    release(self.comm, self.index, world);
    into.store(0, u64(world));
    into.store(1, issuedWord(self, world).load(0));
  },
);

export const flushAsync: GinMethod<'flushAsync'> = deviceFn(
  { name: 'gin.flushAsync', use: { beginFlush, GinRequest: ginRequest } },
  ({ beginFlush, GinRequest, localArray, u64 }, self, team, peer) => {
    const words = localArray(u64, 2);
    beginFlush(self, team, peer, words);
    return GinRequest({ first: words.load(0), second: words.load(1) });
  },
);

export const wait: GinMethod<'wait'> = intrinsic(
  {
    name: 'gin.wait',
    use: { completedWord, acquireOrder, waitInTime, TIMEOUT },
    params: { self: ginStruct, request: ginRequest, 'order?': orderParam, 'timeoutCycles?': u64 },
  },
  (
    { completedWord, acquireOrder, waitInTime, TIMEOUT, clock, waitUntil, i32, u32 },
    { self, request, order, timeoutCycles },
  ) => {
    const requested = order === undefined ? 'acquire' : order;
    const done = completedWord(self, i32(request.first));
    const isComplete = (): boolean => done.load(0, acquireOrder(requested), 'system') >= request.second;
    if (timeoutCycles !== undefined) return waitInTime(isComplete, clock(), timeoutCycles) ? u32(0) : u32(TIMEOUT);
    waitUntil(isComplete);
    return undefined;
  },
);
