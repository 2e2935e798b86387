import { array, harness, i32, ptr, struct, u32 } from '@nccl-ts/harness';

/** The 264 bytes of parameter 0: fields that the kernel reads have a type. */
const Param0 = struct({
  sync_buffers: array(ptr, 32),
  rank: u32,
  world_size: u32,
});

/** CudaIpcBarrierAllRingModeKernel of Flux. Its flags are 0 again after each barrier. */
export default harness({
  kernel: 'flux-barrier.ptx',
  entry: 'CudaIpcBarrierAllRingModeKernel',
  ranks: 2,
  grid: 1,
  block: 32,
  launches: 3,
  setup({ rank, nRanks, alloc, peers }) {
    const sync_buffers = alloc('sync_buffers', i32, 64);
    return {
      args: [
        Param0({
          sync_buffers: peers(sync_buffers),
          rank,
          world_size: nRanks,
        }),
      ],
      expect: () => sync_buffers.equals(() => 0),
    };
  },
});
