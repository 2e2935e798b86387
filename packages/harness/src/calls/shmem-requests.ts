import { devComm, findWindow, window, windowOffset, type DevComm, type Window } from '@nccl-ts/devcomm';
import {
  addr,
  deviceFn,
  i32,
  primitive,
  u32,
  u64,
  wordParam,
  type Coop,
  type DeviceFn,
  type Ptr,
} from '@nccl-ts/kernel';

/**
 * Posts a request of NVSHMEM; one thread calls it. `near` is the caller's memory, and `far` the
 * PE's. The signal changes after the put has arrived, and in no order with other puts. With
 * `blocks`, the call returns once a put has read its source, or a get is complete.
 */
const postRequest: DeviceFn<
  (
    heap: DevComm,
    kind: 'put' | 'get',
    pe: number,
    near: Window,
    nearOffset: number,
    far: Window,
    farOffset: number,
    bytes: number,
    at: 'none' | 'symmetric',
    modify: 'set' | 'add',
    signalWindow: Window,
    signalOffset: number,
    amount: number,
    blocks: number,
  ) => void
> = /* @__PURE__ */ primitive({
  name: 'shmem.post',
  params: {
    heap: devComm,
    kind: wordParam(['put', 'get']),
    pe: i32,
    near: window,
    nearOffset: addr,
    far: window,
    farOffset: addr,
    bytes: addr,
    at: wordParam(['none', 'symmetric']),
    modify: wordParam(['set', 'add']),
    signalWindow: window,
    signalOffset: addr,
    amount: u64,
    blocks: u32,
  },
});

/**
 * Lets the PE's earlier puts to each PE arrive before the later operations there of this thread,
 * and of all that synchronize with it. It waits for nothing, and completes no get.
 */
const orderPuts: DeviceFn<(heap: DevComm) => void> = /* @__PURE__ */ primitive({
  name: 'shmem.fence',
  params: { heap: devComm },
});

/** A put or get of bytes, with the word that a put changes after it has arrived. */
export interface ShmemTransfer {
  readonly heap: DevComm;
  readonly kind: 'put' | 'get';
  readonly near: Ptr;
  readonly far: Ptr;
  readonly bytes: number;
  readonly pe: number;
  readonly at: 'none' | 'symmetric';
  readonly modify: 'set' | 'add';
  /** Without a signal: any address of the heap. */
  readonly signal: Ptr;
  readonly amount: number;
  readonly blocks: boolean;
}

/** Synchronizes a group, one of whose threads makes the transfer. */
export const transfer: DeviceFn<(coop: Coop, transfer: ShmemTransfer) => void> = /* @__PURE__ */ deviceFn(
  { name: 'transfer', use: { postRequest, findWindow, windowOffset } },
  ({ postRequest, findWindow, windowOffset, coopThread, fence, u32 }, coop: Coop, call: ShmemTransfer) => {
    coop.sync();
    if (coop.threadRank() === 0) {
      // The network sees what was released at device scope or wider.
      fence('release', 'device');
      const { heap, near, far, signal } = call;
      postRequest(
        heap,
        call.kind,
        call.pe,
        findWindow(coopThread(), heap, near),
        windowOffset(heap, near),
        findWindow(coopThread(), heap, far),
        windowOffset(heap, far),
        call.bytes,
        call.at,
        call.modify,
        findWindow(coopThread(), heap, signal),
        windowOffset(heap, signal),
        call.amount,
        call.blocks ? u32(1) : u32(0),
      );
    }
    coop.sync();
  },
);

/** A thread's `nvshmem_fence`. It also orders the thread's stores to peers. */
export const fencePuts: DeviceFn<(heap: DevComm) => void> = /* @__PURE__ */ deviceFn(
  { name: 'fencePuts', use: { orderPuts } },
  ({ orderPuts, fence }, heap: DevComm) => {
    orderPuts(heap);
    fence('release', 'system');
  },
);
