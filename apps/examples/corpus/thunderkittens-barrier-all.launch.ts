import { harness, u32 } from '@nccl-ts/harness';
import { BarrierGlobals, global } from './thunderkittens-params.ts';

/** all_reduce_barrier of ThunderKittens' all_reduce, on its 8 devices. */
export default harness({
  kernel: 'thunderkittens-all-reduce.ptx',
  entry: '18all_reduce_barrier',
  ranks: 8,
  grid: 1,
  block: 1,
  launches: 3,
  setup({ rank, ranks, alloc, multicast, peer }) {
    const barrier = alloc('barrier', u32, 8, () => 0);
    const globals = BarrierGlobals({
      multicast: multicast(barrier),
      globals: ranks.map((r) => global(peer(barrier, r))),
      unused: null,
      device: rank,
      padding: 0,
    });
    return { args: [globals], expect: () => barrier.equals(() => 0, { count: 1 }) };
  },
});
