import { harness, i32 } from '@nccl-ts/harness';

/**
 * AtomicKernel of CUDA's sample systemWideAtomics, with the array in the memory of rank 0. Nothing
 * tells a host when the other rank has ended, so no host reads the result.
 */
export default harness({
  kernel: 'system-wide-atomics.ptx',
  entry: 'atomicKernel',
  ranks: 2,
  grid: 1,
  block: 32,
  launches: 1,
  setup({ alloc, peer }) {
    const atom_arr = alloc('atom_arr', i32, 10, (i) => (i === 7 || i === 9 ? 0xff : 0));
    return {
      args: [peer(atom_arr, 0)],
    };
  },
});
