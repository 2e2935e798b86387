import { bf16, harness, u32 } from '@nccl-ts/harness';
import { BarrierGlobals, global } from './thunderkittens-params.ts';

/** The elements of the tensor: two for each of the 256 threads of a block on each device. */
const elements = 8 * 2 * 256;

/**
 * ThunderKittens' all_reduce on its 8 devices, as its entrypoint launches it: the barrier, a sum by
 * multimem in place, the barrier.
 */
export default harness({
  kernel: 'thunderkittens-all-reduce.ptx',
  kernels: {
    barrier: { entry: '18all_reduce_barrier', grid: 1, block: 1 },
    main: { entry: '10all_reduce6config', grid: 1, block: 256 },
  },
  ranks: 8,
  launches: 1,
  setup({ rank, ranks, alloc, multicast, peer, launch }) {
    const barrier = alloc('barrier', u32, 8, () => 0);
    const tensor = alloc('tensor', bf16, elements, (i) => rank + (i % 8));
    const unused = { unused: null, device: rank, padding: 0 };
    const arrive = BarrierGlobals({
      multicast: multicast(barrier),
      globals: ranks.map((r) => global(peer(barrier, r))),
      ...unused,
    });
    const sum = BarrierGlobals({
      multicast: multicast(tensor),
      globals: ranks.map((r) => global(peer(tensor, r), elements)),
      ...unused,
    });
    return {
      steps: [launch('barrier', [arrive]), launch('main', [sum]), launch('barrier', [arrive])],
      expect: () => tensor.equals((i) => ranks.reduce((total, r) => total + r + (i % 8), 0)),
    };
  },
});
