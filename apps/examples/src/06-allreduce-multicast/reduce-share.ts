import type { DevComm, Window } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { multimem } from '@nccl-ts/multimem';

/**
 * Sums lines `first` to `end` - 1, counted from line `sendLine` of `send`, over the LSA team. It
 * applies `then` to the sums, and stores the results to `recv` of all ranks. The CTA's threads
 * divide the lines.
 */
export const reduceShare: DeviceFn<
  (
    comm: DevComm,
    send: Window,
    sendLine: number,
    recv: Window,
    first: number,
    end: number,
    then: (sums: number) => number,
  ) => void
> = deviceFn(
  { name: 'reduceShare', use: { multimem } },
  (
    { multimem, threadIdx, blockDim, vec, f32 },
    comm: DevComm,
    send: Window,
    sendLine: number,
    recv: Window,
    first: number,
    end: number,
    then: (sums: number) => number,
  ) => {
    const line = vec(f32, 4);
    const from = multimem.lsaPointer(send, line, 0, comm);
    const to = multimem.lsaPointer(recv, line, 0, comm);
    for (let i = first + threadIdx.x; i < end; i += blockDim.x) {
      multimem.store(to.offset(i), then(multimem.loadReduce(from.offset(sendLine + i))));
    }
  },
);
