import { f32, harness, symmetricMemory } from '@nccl-ts/harness';

const count = 2;
const launches = 2;

/** Each launch has its own input, and sums the inputs of all ranks. */
export default harness({
  kernel: 'broken.ptx',
  entry: 'oneShotAllReduce',
  ranks: 2,
  grid: 1,
  block: count,
  launches,
  setup(setup) {
    const { rank, ranks, nRanks, alloc, peer } = setup;
    const buffer = alloc('buffer', f32, count);
    const input = alloc('input', f32, launches * count, (i) => 10 * rank + i);
    const out = alloc('out', f32, count);
    const { bufferPtrs, signalPadPtrs } = symmetricMemory(setup, { buffer, signalPadWords: nRanks, multicast: false });
    return {
      args: (launch) => {
        const from = peer(input, rank, 4 * count * launch);
        return [bufferPtrs, signalPadPtrs, from, out, count, rank, nRanks];
      },
      expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + 10 * r + count + i, 0)),
    };
  },
});
