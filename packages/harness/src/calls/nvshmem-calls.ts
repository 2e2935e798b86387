import { approximate } from '@nccl-ts/core';
import { devComm, findWindow, windowOffset, type DevCommArg } from '@nccl-ts/devcomm';
import { addr, i32, kernel, ptr, u64, u8, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { callResult, callResultAddress } from '@nccl-ts/ptx';
import { deviceCall, numberOf, type ConstantArguments, asShmemSays, type ModelledCalls } from './device-call.ts';
import { groupOf } from './group-of.ts';
import { quiet } from './shmem-completion.ts';
import { fencePuts, transfer } from './shmem-requests.ts';

/** The symmetric heap: all allocations of the harness. */
const heap = { heap: devComm };
const transferParams = { ...heap, dst: ptr(u8), src: ptr(u8), bytes: addr, pe: i32 };

/** The names with which the kernel of a transfer makes its request. */
function transferUse(known: ConstantArguments) {
  return { transfer, group: groupOf(numberOf(known, 'coop')), BLOCKS: known['nonblocking'] === 0 };
}

/**
 * The call that hosts of NVSHMEM's programs make on their streams before they read results
 * (`nvshmemx_barrier_all_on_stream`): all requests are complete, and all PEs have come.
 */
export const barrierOfHosts: Kernel<{ readonly heap: DevCommArg }> = /* @__PURE__ */ kernel(
  { name: 'nvshmemx_barrier_all_on_stream', use: { quiet, lsa }, params: heap },
  ({ quiet, lsa, coopThread }, { heap }) => {
    quiet(heap);
    const session = lsa.barrierSession(coopThread(), heap, 0);
    session.sync(coopThread(), 'acq_rel');
  },
);

/** All PEs meet. With `completes`, the requests of the calling thread are complete before. */
function meeting(name: string, coop: number, completes: boolean): Kernel<{ readonly heap: DevCommArg }> {
  return kernel(
    { name, use: { quiet, lsa, group: groupOf(coop), QUIET: completes }, params: heap },
    ({ quiet, lsa, group, QUIET }, { heap }) => {
      const coop = group();
      coop.sync();
      if (QUIET && coop.threadRank() === 0) quiet(heap);
      const session = lsa.barrierSession(coop, heap, 0);
      session.sync(coop, 'acq_rel');
    },
  );
}

/** The functions of the stand-in `nvshmem.h`. */
export const nvshmemCalls: ModelledCalls = new Map([
  [
    '__nccl_ts_shmem_my_pe',
    {
      params: [],
      fidelity: asShmemSays,
      kernel: () =>
        kernel({ name: 'nvshmem_my_pe', use: { callResult }, params: heap }, ({ callResult }, { heap }) => {
          callResult(heap.rank);
        }),
    },
  ],
  [
    '__nccl_ts_shmem_n_pes',
    {
      params: [],
      fidelity: asShmemSays,
      kernel: () =>
        kernel({ name: 'nvshmem_n_pes', use: { callResult }, params: heap }, ({ callResult }, { heap }) => {
          callResult(heap.nRanks);
        }),
    },
  ],
  [
    '__nccl_ts_shmem_ptr',
    deviceCall('pointer pe', asShmemSays, () =>
      kernel(
        {
          name: 'nvshmem_ptr',
          use: { callResultAddress, lsa, findWindow, windowOffset },
          params: { ...heap, pointer: ptr(u8), pe: i32 },
        },
        ({ callResultAddress, lsa, findWindow, windowOffset, coopThread, u8 }, { heap, pointer, pe }) => {
          callResultAddress(lsa.pointer(findWindow(coopThread(), heap, pointer), u8, windowOffset(heap, pointer), pe));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_shmem_put',
    deviceCall('dst src bytes pe nonblocking! coop!', asShmemSays, (known) =>
      kernel(
        { name: 'nvshmem_putmem', use: transferUse(known), params: transferParams },
        ({ transfer, group, BLOCKS, u64 }, { heap, dst, src, bytes, pe }) => {
          transfer(group(), {
            heap,
            kind: 'put',
            near: src,
            far: dst,
            bytes,
            pe,
            at: 'none',
            modify: 'set',
            signal: dst,
            amount: u64(0),
            blocks: BLOCKS,
          });
        },
      ),
    ),
  ],
  [
    '__nccl_ts_shmem_get',
    deviceCall('dst src bytes pe nonblocking! coop!', asShmemSays, (known) =>
      kernel(
        { name: 'nvshmem_getmem', use: transferUse(known), params: transferParams },
        ({ transfer, group, BLOCKS, u64 }, { heap, dst, src, bytes, pe }) => {
          transfer(group(), {
            heap,
            kind: 'get',
            near: dst,
            far: src,
            bytes,
            pe,
            at: 'none',
            modify: 'set',
            signal: dst,
            amount: u64(0),
            blocks: BLOCKS,
          });
        },
      ),
    ),
  ],
  [
    '__nccl_ts_shmem_put_signal',
    deviceCall('dst src bytes signal amount pe nonblocking! adds! coop!', asShmemSays, (known) =>
      kernel(
        {
          name: 'nvshmem_putmem_signal',
          use: { ...transferUse(known), MODIFY: known['adds'] === 1 ? ('add' as const) : ('set' as const) },
          params: { ...heap, dst: ptr(u8), src: ptr(u8), bytes: addr, signal: ptr(u8), amount: u64, pe: i32 },
        },
        ({ transfer, group, BLOCKS, MODIFY }, { heap, dst, src, bytes, signal, amount, pe }) => {
          transfer(group(), {
            heap,
            kind: 'put',
            near: src,
            far: dst,
            bytes,
            pe,
            at: 'symmetric',
            modify: MODIFY,
            signal,
            amount,
            blocks: BLOCKS,
          });
        },
      ),
    ),
  ],
  [
    '__nccl_ts_shmem_fence',
    {
      params: [],
      fidelity: asShmemSays,
      kernel: () =>
        kernel({ name: 'nvshmem_fence', use: { fencePuts }, params: heap }, ({ fencePuts }, { heap }) => {
          fencePuts(heap);
        }),
    },
  ],
  [
    '__nccl_ts_shmem_quiet',
    {
      params: [],
      fidelity: asShmemSays,
      kernel: () =>
        kernel({ name: 'nvshmem_quiet', use: { quiet }, params: heap }, ({ quiet }, { heap }) => {
          quiet(heap);
        }),
    },
  ],
  [
    '__nccl_ts_shmem_barrier',
    deviceCall('quiet! coop!', asShmemSays, (known) =>
      known['quiet'] === 1
        ? meeting('nvshmem_barrier_all', numberOf(known, 'coop'), true)
        : meeting('nvshmem_sync_all', numberOf(known, 'coop'), false),
    ),
  ],
  [
    '__nccl_ts_shmem_meet',
    deviceCall('coop!', approximate('a collective of NVSHMEM as a meeting of all its PEs'), (known) =>
      meeting('nvshmem_collective', numberOf(known, 'coop'), false),
    ),
  ],
]);
