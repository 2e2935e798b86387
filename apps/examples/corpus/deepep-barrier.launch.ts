import { harness, ncclDevComm, ncclWindow, u8 } from '@nccl-ts/harness';

/** barrier_impl<true, 2, 64, 1, 2, T, false> of DeepEP V2, compiled against NCCL's own headers. */
export default harness({
  kernel: 'deepep-barrier.ptx',
  entry: 'barrier_impl',
  ranks: 2,
  grid: 2,
  block: 64,
  launches: 3,
  setup(setup) {
    const { rank, alloc } = setup;
    const heap = alloc('heap', u8, 4096);
    return {
      args: [ncclDevComm(setup, { version: '2.32' }), ncclWindow(setup, heap, { version: '2.32' }), heap, 0, rank],
    };
  },
});
