import { harness, i32 } from '@nccl-ts/harness';
import { memoryChannels } from './mscclpp-params.ts';

/** allgatherFullmesh<true> of MSCCL++, through a scratch buffer. */
export default harness({
  kernel: 'mscclpp-allgather-fullmesh.ptx',
  entry: 'allgatherFullmesh<true>',
  ranks: 2,
  grid: 2,
  block: 64,
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const n = 2048 + 256;
    const buff = alloc('buff', i32, n, (i) => rank * n + i);
    const scratch = alloc('scratch', i32, nRanks * n);
    const resultBuff = alloc('resultBuff', i32, nRanks * n);
    return {
      args: [
        buff,
        scratch,
        resultBuff,
        memoryChannels({ rank, ranks, nRanks, alloc, peer }, 2, { dst: scratch, src: buff }),
        rank,
        nRanks,
        nRanks,
        n,
      ],
      expect: () => resultBuff.equals((i) => i),
    };
  },
});
