import { devComm, findWindow, teamWorld, windowOffset } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { addr, i32, kernel, ptr, u8 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { callResult, callResultAddress, type CallMap } from '@nccl-ts/ptx';
import { deviceCall, numberOf } from './device-call.ts';
import { groupOf } from './group-of.ts';
import { countSignal, quiet, settleAt } from './shmem-completion.ts';

/** The symmetric heap: all allocations of the harness. */
const heap = { heap: devComm };
const transfer = { ...heap, dst: ptr(u8), src: ptr(u8), bytes: addr, pe: i32 };
const use = { gin, findWindow, windowOffset, teamWorld };

/** The functions of the stand-in `nvshmem.h`. */
export const nvshmemCalls: CallMap = new Map([
  [
    '__nccl_ts_shmem_my_pe',
    {
      params: [],
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
      kernel: () =>
        kernel({ name: 'nvshmem_n_pes', use: { callResult }, params: heap }, ({ callResult }, { heap }) => {
          callResult(heap.nRanks);
        }),
    },
  ],
  [
    '__nccl_ts_shmem_ptr',
    deviceCall('pointer pe', () =>
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
    deviceCall('dst src bytes pe nonblocking! coop!', (known) =>
      kernel(
        {
          name: 'nvshmem_putmem',
          use: { ...use, group: groupOf(numberOf(known, 'coop')), BLOCKS: known['nonblocking'] === 0 },
          params: transfer,
        },
        ({ gin, findWindow, windowOffset, teamWorld, coopThread, group, BLOCKS }, { heap, dst, src, bytes, pe }) => {
          const coop = group();
          const net = gin.context(heap, 0);
          const far = findWindow(coopThread(), heap, dst);
          const near = findWindow(coopThread(), heap, src);
          const from = windowOffset(heap, src);
          net.put(teamWorld(heap), pe, far, windowOffset(heap, dst), near, from, bytes, undefined, { coop });
          if (BLOCKS) net.flush(coop);
        },
      ),
    ),
  ],
  [
    '__nccl_ts_shmem_get',
    deviceCall('dst src bytes pe nonblocking! coop!', (known) =>
      kernel(
        {
          name: 'nvshmem_getmem',
          use: { ...use, group: groupOf(numberOf(known, 'coop')), BLOCKS: known['nonblocking'] === 0 },
          params: transfer,
        },
        ({ gin, findWindow, windowOffset, teamWorld, coopThread, group, BLOCKS }, { heap, dst, src, bytes, pe }) => {
          const coop = group();
          const net = gin.context(heap, 0);
          const far = findWindow(coopThread(), heap, src);
          const near = findWindow(coopThread(), heap, dst);
          const to = windowOffset(heap, dst);
          net.get(teamWorld(heap), pe, far, windowOffset(heap, src), near, to, bytes, { coop });
          if (BLOCKS) net.flush(coop);
        },
      ),
    ),
  ],
  [
    '__nccl_ts_shmem_put_before_signal',
    deviceCall('dst src bytes pe coop!', (known) =>
      kernel(
        {
          name: 'nvshmem_putmem_signal',
          use: { ...use, countSignal, settleAt, group: groupOf(numberOf(known, 'coop')) },
          params: transfer,
        },
        (
          { gin, findWindow, windowOffset, teamWorld, countSignal, settleAt, coopThread, fence, u32, group },
          { heap, dst, src, bytes, pe },
        ) => {
          const coop = group();
          const net = gin.context(heap, 0);
          coop.sync();
          if (coop.threadRank() === 0) {
            const far = findWindow(coopThread(), heap, dst);
            const near = findWindow(coopThread(), heap, src);
            const from = windowOffset(heap, src);
            const told = gin.weakSignalInc(u32(countSignal(heap, pe, heap.nRanks)));
            net.put(teamWorld(heap), pe, far, windowOffset(heap, dst), near, from, bytes, told);
            settleAt(heap, pe, heap.nRanks);
            fence('acq_rel', 'system');
          }
          coop.sync();
        },
      ),
    ),
  ],
  [
    '__nccl_ts_shmem_quiet',
    {
      params: [],
      kernel: () =>
        kernel({ name: 'nvshmem_quiet', use: { quiet }, params: heap }, ({ quiet }, { heap }) => {
          quiet(heap);
        }),
    },
  ],
  [
    '__nccl_ts_shmem_barrier',
    deviceCall('quiet! coop!', (known) =>
      kernel(
        {
          name: known['quiet'] === 1 ? 'nvshmem_barrier_all' : 'nvshmem_sync_all',
          use: { quiet, lsa, group: groupOf(numberOf(known, 'coop')), QUIET: known['quiet'] === 1 },
          params: heap,
        },
        ({ quiet, lsa, group, QUIET }, { heap }) => {
          const coop = group();
          coop.sync();
          if (QUIET && coop.threadRank() === 0) quiet(heap);
          const session = lsa.barrierSession(coop, heap, 0);
          session.sync(coop, 'acq_rel');
        },
      ),
    ),
  ],
]);
