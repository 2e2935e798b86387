import { harness, u8 } from '@nccl-ts/harness';
import { requirements } from './deepep2-params.ts';

/**
 * barrier_impl<false, 1, 64, 1, 2, T, true> of DeepEP V2: a flush and a barrier through the network
 * alone.
 */
export default harness({
  kernel: 'deepep2-barrier.ptx',
  entry: 'barrier_implILb0E',
  ranks: 2,
  grid: 1,
  block: 64,
  launches: 3,
  devComm: requirements(2, 2),
  setup({ rank, alloc, devComm }) {
    const workspace = alloc('workspace', u8, 4096);
    return { args: [devComm, workspace, workspace, 0, rank] };
  },
});
