import { harness, i32 } from '@nccl-ts/harness';

/** atomicKernel of CUDA's sample systemWideAtomics, with the array in the memory of rank 0. */
export default harness({
  kernel: 'system-wide-atomics.ptx',
  entry: 'atomicKernel',
  ranks: 2,
  grid: 1,
  block: 32,
  launches: 1,
  setup({ rank, nRanks, alloc, peer }) {
    const words = alloc('atom_arr', i32, 10, (i) => (i === 7 || i === 9 ? 0xff : 0));
    const adds = 50 * 32 * nRanks;
    return {
      args: [peer(words, 0)],
      expect: () => (rank === 0 ? [words.equals([10 * adds], { count: 1 })] : []),
    };
  },
});
