import type { MemoryOrder } from '@nccl-ts/core';
import {
  intrinsic,
  multicastSize,
  ptr,
  u32,
  unicastPointer,
  wordParam,
  type DeviceFn,
  type Ptr,
} from '@nccl-ts/kernel';

/**
 * Adds `value` to the u32 at a multicast address at every rank that it reaches, including the
 * calling rank, at system scope. The additions at different ranks are not ordered. `order` is
 * `'relaxed'` or `'release'`. It is for barriers that count arrivals; kernels use
 * `multimem.reduce`.
 */
export const multicastAdd: DeviceFn<(pointer: Ptr, value: number, order: MemoryOrder) => void> = intrinsic(
  {
    name: 'multicastAdd',
    use: { multicastSize, unicastPointer },
    params: { pointer: ptr(u32), value: u32, order: wordParam(['relaxed', 'release']) },
  },
  ({ multicastSize, unicastPointer, requires }, { pointer, value, order }) => {
    requires(
      multicastSize(pointer) > 0,
      'a multimem barrier is given no multicast address of a team with this rank: createDevComm({ lsaMultimem: true }), or pass the mmHandle of such a team',
    );
    for (let member = 0; member < multicastSize(pointer); member++) {
      unicastPointer(pointer, member).atomicAdd(0, value, order, 'system');
    }
  },
);
