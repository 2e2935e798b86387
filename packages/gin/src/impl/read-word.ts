import { acquireOrder, waitInTime } from '@nccl-ts/devcomm';
import { ResultCode, type MemoryOrder } from '@nccl-ts/core';
import { deviceFn, type Coop, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { acquireSignal } from './primitives.ts';
import { hasReached } from './rolling.ts';

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;

/** Makes visible the puts that the signals at `word` cover, if the order acquires. */
export const settle: DeviceFn<(word: Ptr, order: MemoryOrder) => void> = deviceFn(
  { name: 'settle', use: { acquireOrder, acquireSignal } },
  ({ acquireOrder, acquireSignal }, word: Ptr, order: MemoryOrder) => {
    if (acquireOrder(order) !== 'relaxed') acquireSignal(word);
  },
);

/** Reads the low `bits` of a word in which the network counts. */
export const readWord: DeviceFn<(word: Ptr, bits: number, order: MemoryOrder) => number> = deviceFn(
  { name: 'readWord', use: { acquireOrder, settle } },
  ({ acquireOrder, settle, u64 }, word: Ptr, bits: number, order: MemoryOrder) => {
    const value = word.load(0, acquireOrder(order), 'system');
    settle(word, order);
    return value & (~u64(0) >> (u64(64) - u64(bits)));
  },
);

/** Returns to all threads of `coop` once the word has reached `least`. */
const waitWithoutLimit: DeviceFn<(coop: Coop, word: Ptr, least: number, bits: number, order: MemoryOrder) => void> =
  deviceFn(
    { name: 'waitWithoutLimit', use: { acquireOrder, hasReached, settle } },
    ({ acquireOrder, hasReached, settle }, coop: Coop, word: Ptr, least: number, bits: number, order: MemoryOrder) => {
      coop.waitAll(1, (_index) => hasReached(word.load(0, acquireOrder(order), 'system'), least, bits));
      settle(word, order);
      // One thread has read the word. Only a synchronization orders the others after what it saw.
      coop.sync();
    },
  );

/**
 * Like `waitWithoutLimit`, for at most `timeoutCycles`. The first thread of `coop` waits and
 * returns 0 or `ncclTimeout`. The others return 0, as in NCCL. A wait that gave up makes nothing
 * visible.
 */
const waitOrTimeOut: DeviceFn<
  (coop: Coop, word: Ptr, least: number, bits: number, order: MemoryOrder, timeoutCycles: number) => number
> = deviceFn(
  { name: 'waitOrTimeOut', use: { acquireOrder, hasReached, settle, waitInTime, TIMEOUT } },
  (
    { acquireOrder, hasReached, settle, waitInTime, TIMEOUT, clock, u32 },
    coop: Coop,
    word: Ptr,
    least: number,
    bits: number,
    order: MemoryOrder,
    timeoutCycles: number,
  ) => {
    let result = u32(0);
    coop.sync();
    if (coop.threadRank() === 0) {
      const isHere = (): boolean => hasReached(word.load(0, acquireOrder(order), 'system'), least, bits);
      if (waitInTime(isHere, clock(), timeoutCycles)) settle(word, order);
      else result = u32(TIMEOUT);
    }
    coop.sync();
    return result;
  },
);

/** Waits for the word to reach `least`, with a time limit if there is one. */
export const waitWord: DeviceFn<
  (coop: Coop, word: Ptr, least: number, bits: number, order: MemoryOrder, timeoutCycles?: number) => number | undefined
> = deviceFn(
  { name: 'waitWord', use: { waitWithoutLimit, waitOrTimeOut } },
  (
    { waitWithoutLimit, waitOrTimeOut },
    coop: Coop,
    word: Ptr,
    least: number,
    bits: number,
    order: MemoryOrder,
    timeoutCycles?: number,
  ) => {
    if (timeoutCycles !== undefined) return waitOrTimeOut(coop, word, least, bits, order, timeoutCycles);
    waitWithoutLimit(coop, word, least, bits, order);
    return undefined;
  },
);
