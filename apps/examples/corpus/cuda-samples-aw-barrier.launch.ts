import { f32, f64, harness } from '@nccl-ts/harness';

/**
 * normVecByDotProductAWBarrier of CUDA's sample simpleAWBarrier: arrivals, waits and a grid
 * barrier.
 */
export default harness({
  kernel: 'simple-aw-barrier.ptx',
  entry: 'normVecByDotProductAWBarrier',
  ranks: 1,
  grid: 2,
  block: 64,
  dynamicShared: 64,
  launches: 1,
  local: true,
  setup({ alloc }) {
    const n = 256;
    const vecA = alloc('vecA', f32, n, () => 2);
    const vecB = alloc('vecB', f32, n, () => 2);
    const partialResults = alloc('partialResults', f64, 2);
    return {
      args: [vecA, vecB, partialResults, n],
      expect: () => [vecA.equals(() => 2 / 32), vecB.equals(() => 2 / 32)],
    };
  },
});
