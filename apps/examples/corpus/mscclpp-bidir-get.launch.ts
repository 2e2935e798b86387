import { f32, harness } from '@nccl-ts/harness';
import { memoryChannel } from './mscclpp-params.ts';

/** bidirGetKernel of MSCCL++'s tutorial 03-memory-channel. */
export default harness({
  kernel: 'mscclpp-memory-channel.ptx',
  entry: 'bidirGetKernel',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup({ rank, alloc, peer }) {
    const n = 128;
    const buf = alloc('buf', f32, 2 * n, (i) => (Math.floor(i / n) === rank ? i : -1));
    return {
      args: [memoryChannel({ rank, alloc, peer }, { dst: buf, src: buf }), n * f32.bytes, rank],
      expect: () => buf.equals((i) => i),
    };
  },
});
