import { f32, harness, u64, u8 } from '@nccl-ts/harness';
import { MemoryChannel } from './mscclpp-params.ts';

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
    const other = rank ^ 1;
    const buffer = alloc('buf', f32, 2 * n, (i) => (Math.floor(i / n) === rank ? i : -1));
    const packets = alloc('packets', u8, 2 * n * f32.bytes, () => 0);
    const inbound = alloc('inbound', u64, 1, () => 0);
    const expected = alloc('expected', u64, 1, () => 0);
    const channel = {
      inboundToken: inbound,
      remoteInboundToken: peer(inbound, other),
      expectedInboundToken: expected,
      dst: peer(packets, other),
      src: buffer,
      packetBuffer: packets,
    };
    const handle = alloc('handle', MemoryChannel, [channel]);
    return {
      args: (launch: number) => [handle, n * f32.bytes, rank, launch + 1],
      // A rank unpacks over its own part, so that the parts return in every second launch.
      expect: () => buffer.equals((i) => (i % n) + other * n, { from: rank * n, count: n }),
    };
  },
});
