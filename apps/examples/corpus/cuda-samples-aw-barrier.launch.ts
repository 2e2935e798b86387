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
    const a = alloc('vecA', f32, n, () => 2);
    const b = alloc('vecB', f32, n, () => 2);
    const partial = alloc('partialResults', f64, 2, () => 0);
    // The root of the dot product is 32.
    return { args: [a, b, partial, n], expect: () => [a.equals(() => 2 / 32), b.equals(() => 2 / 32)] };
  },
});
