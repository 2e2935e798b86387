import { array, bf16, bytes, harness, i32, ptr, struct, u32 } from '@nccl-ts/harness';
import { BarrierGlobals, global, Matrix, matrix } from './thunderkittens-params.ts';

/** One block of 128 rows and 256 columns, and the least length of the sums. */
const [m, n, k] = [128, 256, 256];

const Parameters = struct({
  a: Matrix,
  b: Matrix,
  multicast: ptr,
  gap: bytes(120),
  c: array(Matrix, 8),
  descriptors: bytes(128),
  barrier: BarrierGlobals,
  compSms: i32,
  end: bytes(100),
});

/**
 * ThunderKittens' gemm_ar for Hopper on its 8 devices: a block multiplies, stores its tile and
 * signals the device that sums it. There another block waits, and sums in the switch. The epilogue
 * clears the words. `padding` is the number of the blocks that sum.
 */
export default harness({
  kernel: 'thunderkittens-gemm-ar.ptx',
  kernels: {
    main: { entry: 'main_kernel', grid: 2, block: 384, dynamicShared: 231_424 },
    epilogue: { entry: 'epilogue_kernel', grid: 2, block: 384 },
  },
  ranks: 8,
  launches: 1,
  setup({ rank, ranks, alloc, multicast, peer, launch }) {
    const a = alloc('A', bf16, m * k);
    const b = alloc('B', bf16, k * n);
    const c = alloc('C', bf16, m * n);
    const words = alloc('barrier', u32, 2);
    const barrier = {
      multicast: multicast(words),
      globals: ranks.map((r) => global(peer(words, r), 1, 2)),
      unused: null,
      device: rank,
      padding: 1,
    };
    const parameters = Parameters({
      a: matrix(a, [m, k], [64, 64]),
      b: matrix(b, [k, n], [64, 256]),
      multicast: multicast(c),
      c: ranks.map((r) => matrix(peer(c, r), [m, n], [64, 256])),
      barrier,
      compSms: 1,
    });
    return { steps: [launch('main', [parameters]), launch('epilogue', [parameters])] };
  },
});
