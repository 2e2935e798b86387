import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { links } from '../fifo/link.ts';
import { rings } from './ring.ts';
import { copyOne } from './reductions.ts';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { ringKernels, type RingSession, type RingScratch } from './ring-kernels.ts';

/**
 * Broadcast by a chain through all ranks, in parts, so that all links are busy at the same time.
 * The root sends, the other ranks forward, and the last rank only receives.
 *
 * Each CTA is a separate channel with its own link of the FIFO. Ranks may use different offsets for
 * `send` and `recv`.
 */
export function ringBroadcast(shape: KernelShape): CollectiveKernels<RingScratch> {
  const { T, slotBytes } = shape;
  return ringKernels(
    deviceFn(
      {
        name: 'ringBroadcast',
        use: { links, rings, copyOne, SLOT: slotBytes, T },
      },
      (
        { links, rings, copyOne, SLOT, T, coopCta, blockIdx, gridDim, sizeOf, typeOf, min, u32 },
        comm: DevComm,
        { fifo }: RingSession,
        { send, recv, count, root }: DeviceCall,
        _nth: number,
      ) => {
        const n = u32(comm.lsaSize);
        const rank = u32(comm.lsaRank);
        const ring = rings.of(comm, fifo, SLOT, blockIdx.x);
        const I = typeOf(count);
        const most = I(SLOT / sizeOf(T));
        const input = send.localPtr();
        const output = recv.localPtr();
        let sent = links.sentBefore(ring.mine);
        let received = links.receivedBefore(ring.mine);

        for (let begin = I(blockIdx.x) * most; begin < count; begin += I(gridDim.x) * most) {
          const part = {
            input: input.offset(begin),
            output: output.offset(begin),
            count: min(count - begin, most),
            sent,
            received,
          };
          if (rank === root) {
            const step = { receives: false, reads: true, writes: true, sends: true };
            rings.step(coopCta(), T, SLOT, ring, step, part, copyOne, n, 1);
            sent++;
          } else if ((rank + 1) % n === root) {
            const step = { receives: true, reads: false, writes: true, sends: false };
            rings.step(coopCta(), T, SLOT, ring, step, part, copyOne, n, 1);
            received++;
          } else {
            const step = { receives: true, reads: false, writes: true, sends: true };
            rings.step(coopCta(), T, SLOT, ring, step, part, copyOne, n, 1);
            sent++;
            received++;
          }
        }
        // A CTA without a part has not synchronized since its request, and its counts have not
        // changed.
        if (I(blockIdx.x) * most < count) {
          links.keepSent(coopCta(), ring.mine, sent);
          links.keepReceived(coopCta(), ring.mine, received);
        }
      },
    ),
    shape,
  );
}
