import { ResultCode, type MemoryOrder, type MemoryProxy } from '@nccl-ts/core';
import { acquireOrder, waitInTime } from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { memFence } from '../mem-fence.ts';

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;

/** The arguments of `waitCounted`. */
export interface CountedWait {
  readonly coop: Coop;
  readonly order: MemoryOrder;
  readonly consumer: MemoryProxy;
  readonly counter: Ptr;
  readonly expected: number;
  readonly timeoutCycles: number | undefined;
}

/** True if the counter equals `expected`, or is past it by less than half the range. */
const hasArrived = deviceFn(
  { name: 'hasArrived' },
  ({ u64 }, counter: Ptr, expected: number) =>
    counter.load(0, 'relaxed', 'system') - u64(expected) <= ~u64(0) >> u64(1),
);

/** Lets the first thread of `coop` wait. Then one fence acquires for all of them. */
export const waitFor: DeviceFn<(call: CountedWait) => number | undefined> = deviceFn(
  { name: 'waitFor', use: { hasArrived, memFence, acquireOrder, waitInTime, TIMEOUT } },
  ({ hasArrived, memFence, acquireOrder, waitInTime, TIMEOUT, clock, u32 }, call) => {
    const { coop, order, consumer, counter, expected, timeoutCycles } = call;
    if (timeoutCycles !== undefined) {
      let result = u32(0);
      if (coop.threadRank() === 0 && !waitInTime(() => hasArrived(counter, expected), clock(), timeoutCycles)) {
        result = u32(TIMEOUT);
      }
      coop.sync();
      memFence(coop, acquireOrder(order), 'fabric', consumer, 'system');
      return result;
    }
    coop.waitAll(1, (_index) => hasArrived(counter, expected));
    coop.sync();
    memFence(coop, acquireOrder(order), 'fabric', consumer, 'system');
    return undefined;
  },
);
