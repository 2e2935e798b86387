import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { links } from '../fifo/link.ts';
import { rings } from './ring.ts';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { ringKernels, type RingSession, type RingScratch } from './ring-kernels.ts';

/**
 * ReduceScatter by a ring, in parts: the elements for rank `r` start at the rank after `r` and
 * reach `r` last. Each rank on the way reduces them with its own. Each rank sends `n - 1` times
 * `count` elements, to only one peer. Partial results are rounded to the element type at every
 * rank.
 *
 * Each CTA is a separate channel with its own link of the FIFO. Ranks may use different offsets for
 * `send` and `recv`.
 */
export function ringReduceScatter(shape: KernelShape): CollectiveKernels<RingScratch> {
  const { T, finish, partial, slotBytes } = shape;
  return ringKernels(
    deviceFn(
      {
        name: 'ringReduceScatter',
        use: {
          links,
          rings,
          finish,
          partial,
          SLOT: slotBytes,
          T,
        },
      },
      (
        { links, rings, finish, partial, SLOT, T, coopCta, blockIdx, gridDim, sizeOf, typeOf, min, u32 },
        comm: DevComm,
        { fifo }: RingSession,
        { send, recv, count, scale }: DeviceCall,
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
            input: input.offset(count * I(owner) + begin),
            output: output.offset(begin),
            count: min(count - begin, most),
            sent,
            received,
          });
          const first = { receives: false, reads: true, writes: false, sends: true };
          rings.step(coopCta(), T, SLOT, ring, first, part((rank + n - 1) % n), partial, n, scale);
          sent++;
          for (let k = u32(2); k < n; k++) {
            const step = { receives: true, reads: true, writes: false, sends: true };
            rings.step(coopCta(), T, SLOT, ring, step, part((rank + n - k) % n), partial, n, scale);
            sent++;
            received++;
          }
          const last = { receives: true, reads: true, writes: true, sends: false };
          rings.step(coopCta(), T, SLOT, ring, last, part(rank), finish, n, scale);
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
