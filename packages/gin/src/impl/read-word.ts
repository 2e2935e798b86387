import { acquireOrder, waitInTime } from '@nccl-ts/devcomm';
import { ResultCode, type MemoryOrder } from '@nccl-ts/core';
import { deviceFn, type Coop, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { ReadOptions } from '../options.ts';
import { acquireSignal } from './primitives.ts';
import { hasReached } from './rolling.ts';

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;

/** Makes visible the puts that the signals at `word` cover, if the order acquires. */
export const settle: DeviceFn<(word: Ptr, order: MemoryOrder) => void> = deviceFn(
  { name: 'settle', use: { acquireOrder, acquireSignal } },
  ({ acquireOrder, acquireSignal }, word, order) => {
    if (acquireOrder(order) !== 'relaxed') acquireSignal(word);
  },
);

/** The number of low bits that count, of a word whose default is `most`. */
export const bitsOf: DeviceFn<(options: ReadOptions, most: number) => number> = deviceFn(
  { name: 'bitsOf' },
  (_context, options, most) => (options.bits === undefined ? most : options.bits),
);

const orderOf = deviceFn({ name: 'orderOf' }, (_context, options: ReadOptions): MemoryOrder =>
  options.order === undefined ? 'acquire' : options.order,
);

/** Reads the low bits of a word in which the network counts. The default is `most` bits. */
export const readWord: DeviceFn<(word: Ptr, most: number, options: ReadOptions) => number> = deviceFn(
  { name: 'readWord', use: { acquireOrder, settle, bitsOf, orderOf } },
  ({ acquireOrder, settle, bitsOf, orderOf, u64 }, word, most, options) => {
    const value = word.load(0, acquireOrder(orderOf(options)), 'system');
    settle(word, orderOf(options));
    return value & (~u64(0) >> (u64(64) - u64(bitsOf(options, most))));
  },
);

/** Returns to all threads of `coop` once the word has reached `least`. */
const waitWithoutLimit = deviceFn(
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
const waitOrTimeOut = deviceFn(
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

/**
 * Waits for the word to reach `least`, with a time limit if there is one. The default is to compare
 * `most` bits.
 */
export const waitWord: DeviceFn<
  (
    coop: Coop,
    word: Ptr,
    least: number,
    most: number,
    options: ReadOptions,
    timeoutCycles?: number,
  ) => number | undefined
> = deviceFn(
  { name: 'waitWord', use: { waitWithoutLimit, waitOrTimeOut, bitsOf, orderOf } },
  ({ waitWithoutLimit, waitOrTimeOut, bitsOf, orderOf }, coop, word, least, most, options, timeoutCycles) => {
    const bits = bitsOf(options, most);
    const order = orderOf(options);
    if (timeoutCycles !== undefined) return waitOrTimeOut(coop, word, least, bits, order, timeoutCycles);
    waitWithoutLimit(coop, word, least, bits, order);
    return undefined;
  },
);
