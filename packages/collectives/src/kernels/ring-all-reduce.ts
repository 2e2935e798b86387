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
 * AllReduce by a ring, in parts: with `n` ranks a buffer has `n` chunks. In step `k` of the first
 * `n - 1`, rank `r` sends its chunk `r - k` and reduces the received chunk `r - k - 1` with its
 * own. Then it has the complete chunk `r + 1`, and `n - 1` more steps forward the complete chunks.
 * Each rank sends `2 (n - 1) / n` times the bytes of the buffer, to only one peer. Partial results
 * are rounded to the element type at every rank.
 *
 * Each CTA is a separate channel with its own link of the FIFO. Ranks may use different offsets for
 * `send` and `recv`.
 */
export function ringAllReduce(shape: KernelShape): CollectiveKernels<RingScratch> {
  const { T, finish, partial, slotBytes } = shape;
  return ringKernels(
    deviceFn(
      {
        name: 'ringAllReduce',
        use: {
          links,
          rings,
          finish,
          partial,
          copyOne,
          SLOT: slotBytes,
          T,
        },
      },
      (
        { links, rings, finish, partial, copyOne, SLOT, T, coopCta, blockIdx, gridDim, sizeOf, typeOf, min, u32 },
        comm: DevComm,
        { fifo }: RingSession,
        { send, recv, count, scale }: DeviceCall,
        _nth: number,
      ) => {
        const n = u32(comm.lsaSize);
        const rank = u32(comm.lsaRank);
        const ring = rings.of(comm, fifo, SLOT, blockIdx.x);
        const I = typeOf(count);
        const width = 16 / sizeOf(T);
        const most = I(SLOT / sizeOf(T));
        const input = send.localPtr();
        const output = recv.localPtr();
        let sent = links.sentBefore(ring.mine);
        let received = links.receivedBefore(ring.mine);

        // All channels take a turn of `n` chunks each.
        const turn = I(n) * most;
        for (let begin = I(blockIdx.x) * turn; begin < count; begin += I(gridDim.x) * turn) {
          const left = min(count - begin, turn);
          const lines = (left + (I(n) * width - 1)) / (I(n) * width);
          const each = lines * width;
          const part = (chunk: number) => {
            const first = min(each * I(chunk), left);
            return {
              input: input.offset(begin + first),
              output: output.offset(begin + first),
              count: min(each, left - first),
              sent,
              received,
            };
          };

          rings.step(
            coopCta(),
            T,
            SLOT,
            ring,
            { receives: false, reads: true, writes: false, sends: true },
            part(rank),
            partial,
            n,
            scale,
          );
          sent++;
          for (let k = u32(1); k < n - 1; k++) {
            const step = { receives: true, reads: true, writes: false, sends: true };
            rings.step(coopCta(), T, SLOT, ring, step, part((rank + n - k) % n), partial, n, scale);
            sent++;
            received++;
          }
          const complete = { receives: true, reads: true, writes: true, sends: true };
          rings.step(coopCta(), T, SLOT, ring, complete, part((rank + 1) % n), finish, n, scale);
          sent++;
          received++;
          for (let k = u32(1); k < n - 1; k++) {
            const step = { receives: true, reads: false, writes: true, sends: true };
            rings.step(coopCta(), T, SLOT, ring, step, part((rank + 1 + n - k) % n), copyOne, n, scale);
            sent++;
            received++;
          }
          const last = { receives: true, reads: false, writes: true, sends: false };
          rings.step(coopCta(), T, SLOT, ring, last, part((rank + 2) % n), copyOne, n, scale);
          received++;
        }
        // All channels together take a turn of `n` chunks each.
        if (I(blockIdx.x) * turn < count) {
          links.keepSent(coopCta(), ring.mine, sent);
          links.keepReceived(coopCta(), ring.mine, received);
        }
      },
    ),
    shape,
  );
}
