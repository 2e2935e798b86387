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
    const { rank, alloc, peer } = setup;
    const version = '2.32';
    const heap = alloc('heap', u8, 4096, () => 0);
    return { args: [ncclDevComm(setup, { version }), ncclWindow(setup, heap, { version }), peer(heap, rank), 0, rank] };
  },
});
