import { harness, i32 } from '@nccl-ts/harness';
import { memoryChannels } from './mscclpp-params.ts';

/** allgatherFullmesh2<false> of MSCCL++, with a channel of each CTA to each peer. */
export default harness({
  kernel: 'mscclpp-allgather-fullmesh-2.ptx',
  entry: 'allgatherFullmesh2<false>',
  ranks: 2,
  grid: 2,
  block: 64,
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const n = 1024;
    const buffer = alloc('buffer', i32, nRanks * n, (i) => (Math.floor(i / n) === rank ? i : -1));
    return {
      args: [
        buffer,
        memoryChannels({ rank, ranks, nRanks, alloc, peer }, 2, { dst: buffer, src: buffer }),
        0,
        rank,
        nRanks,
        nRanks,
        n,
      ],
      expect: () => buffer.equals((i) => i),
    };
  },
});
