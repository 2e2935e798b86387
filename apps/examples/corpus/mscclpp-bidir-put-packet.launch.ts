import { f32, harness, u8 } from '@nccl-ts/harness';
import { memoryChannel } from './mscclpp-params.ts';

/** bidirPutPacketKernel of MSCCL++'s tutorial 03-memory-channel: LL packets of 16 bytes. */
export default harness({
  kernel: 'mscclpp-memory-channel.ptx',
  entry: 'bidirPutPacketKernel',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 3,
  setup({ rank, alloc, peer }) {
    const n = 64;
    const buf = alloc('buf', f32, 2 * n, (i) => (Math.floor(i / n) === rank ? i : -1));
    const packets = alloc('packets', u8, 2 * n * f32.bytes);
    const handle = memoryChannel({ rank, alloc, peer }, { dst: packets, src: buf, packetBuffer: packets });
    return {
      args: (launch) => [handle, n * f32.bytes, rank, launch + 1],
      expect: () => buf.equals((i) => (i % n) + (rank ^ 1) * n, { from: rank * n, count: n }),
    };
  },
});
