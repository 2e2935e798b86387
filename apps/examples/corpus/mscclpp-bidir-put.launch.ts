import { f32, harness, u64 } from '@nccl-ts/harness';
import { MemoryChannel } from './mscclpp-params.ts';

/** bidirPutKernel of MSCCL++'s tutorial 03-memory-channel. */
export default harness({
  kernel: 'mscclpp-memory-channel.ptx',
  entry: 'bidirPutKernel',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup({ rank, alloc, peer }) {
    const n = 128;
    const other = rank ^ 1;
    const buffer = alloc('buf', f32, 2 * n, (i) => (Math.floor(i / n) === rank ? i : -1));
    const inbound = alloc('inbound', u64, 1, () => 0);
    const expected = alloc('expected', u64, 1, () => 0);
    const channel = {
      inboundToken: inbound,
      remoteInboundToken: peer(inbound, other),
      expectedInboundToken: expected,
      dst: peer(buffer, other),
      src: buffer,
      packetBuffer: null,
    };
    return {
      args: [alloc('handle', MemoryChannel, [channel]), n * f32.bytes, rank],
      between: () =>
        buffer.write(
          Array.from({ length: n }, (_, i) => rank * n + i + 7),
          rank * n,
        ),
      expect: () => buffer.equals((i) => i + 7),
    };
  },
});
