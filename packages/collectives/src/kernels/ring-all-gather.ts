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
 * AllGather by a ring, in parts: each rank sends its own elements to the next rank and forwards
 * those that it receives. Each rank sends `n - 1` times `count` elements, to only one peer.
 *
 * Each CTA is a separate channel with its own link of the FIFO. Ranks may use different offsets for
 * `send` and `recv`.
 */
export function ringAllGather(shape: KernelShape): CollectiveKernels<RingScratch> {
  const { T, slotBytes } = shape;
  return ringKernels(
    deviceFn(
      {
        name: 'ringAllGather',
        use: { links, rings, copyOne, SLOT: slotBytes, T },
      },
      (
        { links, rings, copyOne, SLOT, T, coopCta, blockIdx, gridDim, sizeOf, typeOf, min, u32 },
        comm: DevComm,
        { fifo }: RingSession,
        { send, recv, count }: DeviceCall,
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
          const part = (owner: number) => ({
            input: input.offset(begin),
            output: output.offset(count * I(owner) + begin),
            count: min(count - begin, most),
            sent,
            received,
          });
          const first = { receives: false, reads: true, writes: true, sends: true };
          rings.step(coopCta(), T, SLOT, ring, first, part(rank), copyOne, n, 1);
          sent++;
          for (let k = u32(1); k < n - 1; k++) {
            const step = { receives: true, reads: false, writes: true, sends: true };
            rings.step(coopCta(), T, SLOT, ring, step, part((rank + n - k) % n), copyOne, n, 1);
            sent++;
            received++;
          }
          const last = { receives: true, reads: false, writes: true, sends: false };
          rings.step(coopCta(), T, SLOT, ring, last, part((rank + 1) % n), copyOne, n, 1);
          received++;
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
