import { array, bytes, harness, ptr, struct, u32 } from '@nccl-ts/harness';

/** The 408 bytes of parameter 0: fields that the kernel reads have a type. */
const Param0 = struct({
  at0: ptr,
  at8: array(struct({ at0: ptr, gap8: bytes(40) }), 8),
  gap392: bytes(8),
  at400: u32,
  gap404: bytes(4),
});

/** all_reduce_barrier of ThunderKittens' all_reduce, on its 8 devices. */
export default harness({
  kernel: 'thunderkittens-all-reduce.ptx',
  entry: 'global_kernel<all_reduce_barrier::config, all_reduce_barrier::globals, &all_reduce_barrier::kernel>',
  ranks: 8,
  grid: 1,
  block: 1,
  launches: 3,
  setup({ rank, alloc, peers, multicast }) {
    const G_8 = alloc('G_8', u32, 8);
    return {
      args: [
        Param0({
          at0: multicast(G_8),
          at8: peers(G_8).map((at0) => ({ at0 })),
          at400: rank,
        }),
      ],
      expect: () => G_8.equals(() => 0, { count: 1 }),
    };
  },
});
