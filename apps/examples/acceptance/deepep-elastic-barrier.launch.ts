import { harness, i32, u8 } from '@nccl-ts/harness';

/** 2, 4 or 8. The entry has the number too. */
const ranks = 2;

/**
 * `comm::gpu_barrier<true, 1, N, 2, 64, 1, T>` of DeepEP's deep_ep/include, compiled against the
 * stand-in headers. The kernel is one of ours: each thread stores a number for the next rank, meets
 * there, reads a number of the last rank, and meets again. All memory is in one window.
 */
export default harness({
  entry: `pass_on<${ranks}>`,
  ranks,
  grid: 2,
  block: 64,
  devComm: { ginConnectionType: 'full', ginSignalCount: 8 },
  setup({ rank, nRanks, alloc, peer, devComm }) {
    const heap = alloc('heap', u8, 4096, () => 0);
    const out = alloc('out', i32, 128);
    return {
      args: [devComm, heap, heap, peer(heap, rank, 1024), out, rank],
      expect: () => out.equals((i) => ((rank + nRanks - 1) % nRanks) * 1000 + 127 - i),
    };
  },
});
