import { f32, harness } from '@nccl-ts/harness';
import { memoryChannel } from './mscclpp-params.ts';

/** The same with one CTA, where DeviceSyncer returns at once. */
export default harness({
  kernel: 'mscclpp-memory-channel.ptx',
  entry: 'bidirPutKernel',
  ranks: 2,
  grid: 1,
  block: 32,
  launches: 2,
  setup({ rank, alloc, peer }) {
    const n = 128;
    const buf = alloc('buf', f32, 2 * n, (i) => (Math.floor(i / n) === rank ? i : -1));
    return {
      args: [memoryChannel({ rank, alloc, peer }, { dst: buf, src: buf }), n * f32.bytes, rank],
      between: () => buf.write((i) => i + 7, rank * n, n),
      expect: () => buf.equals((i) => i + 7),
    };
  },
});
