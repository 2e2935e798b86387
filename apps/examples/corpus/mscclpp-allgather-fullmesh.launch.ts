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
  setup(setup) {
    const { rank, nRanks, alloc } = setup;
    const n = 2048 + 256;
    const input = alloc('input', i32, n, (i) => rank * n + i);
    const scratch = alloc('scratch', i32, nRanks * n);
    const output = alloc('output', i32, nRanks * n);
    const channels = memoryChannels(setup, 2, { dst: scratch, src: input });
    return {
      args: [input, scratch, output, channels, rank, nRanks, nRanks, n],
      expect: () => output.equals((i) => i),
    };
  },
});
