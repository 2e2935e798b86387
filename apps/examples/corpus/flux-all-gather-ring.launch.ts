import { array, harness, ptr, struct, u32 } from '@nccl-ts/harness';

/** CudaIpcBarrierAllArgs. The pointers of ranks that do not exist are null. */
const BarrierArgs = struct({ sync: array(ptr, 32), rank: u32, worldSize: u32 });

/** The words of each rank's part. */
const count = 64;

/**
 * An all-gather of Flux: the barrier kernel in ring mode, a copy from each peer, and the barrier
 * kernel, so that the input may change again.
 */
export default harness({
  kernel: 'flux-barrier.ptx',
  kernels: { barrier: { entry: 'CudaIpcBarrierAllRingModeKernel', grid: 1, block: 32 } },
  ranks: 2,
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer, launch, memcpy }) {
    const value = (round: number, from: number, i: number) => 1000 * round + 100 * from + i;
    const input = alloc('input', u32, count);
    const gathered = alloc('gathered', u32, count * nRanks);
    const sync = alloc('sync', u32, 32);
    const buffers = Array.from({ length: 32 }, (_, r) => (r < nRanks ? peer(sync, r) : null));
    const args = BarrierArgs({ sync: buffers, rank, worldSize: nRanks });
    return {
      steps: (round) => [
        input.write((i) => value(round, rank, i)),
        launch('barrier', [args]),
        ...ranks.map((r) => memcpy(peer(gathered, rank, 4 * count * r), peer(input, r), 4 * count)),
        launch('barrier', [args]),
      ],
      expect: () => gathered.equals((i) => value(1, Math.floor(i / count), i % count)),
    };
  },
});
