import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Every read-modify-write, all orders and scopes, ordered loads and stores, fences, and the calls
 * for dependencies between launches.
 */
export const atomics = kernel(
  { name: 'atomics', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  (
    { lsa, threadIdx, blockIdx, u32, i32, u64, f32, fence, fenceProxy, launchDependents, gridDependencySync },
    { comm, win, count },
  ) => {
    gridDependencySync();
    launchDependents();
    const t = threadIdx.x;
    const words = lsa.localPointer(win, u32, 0);
    const signed = lsa.localPointer(win, i32, 1024);
    const wide = lsa.localPointer(win, u64, 2048);
    const sums = lsa.localPointer(win, f32, 3072);
    if (t < count) {
      words.atomicAdd(0, t);
      words.atomicSub(1, t, 'relaxed');
      words.atomicMin(2, t, 'acquire', 'device');
      words.atomicMax(3, t, 'release', 'block');
      words.atomicAnd(4, ~t, 'acq_rel', 'system');
      words.atomicOr(5, 1 << (t & 31), 'seq_cst', 'thread');
      words.atomicXor(6, t, 'relaxed', 'device');
      signed.atomicMin(0, -i32(t));
      wide.atomicMax(0, u64(t) << 33);
      sums.atomicAdd(0, 0.5);
    }
    if (t === 0) {
      const old = words.atomicExch(7 + blockIdx.x, 99);
      const swapped = words.atomicCas(9 + blockIdx.x, old, 5, 'acq_rel', 'device');
      words.store(11 + blockIdx.x, swapped + 1, 'release', 'system');
      fence('release', 'device');
      fence('seq_cst');
      fence('acquire', 'block');
      fenceProxy('alias');
      const seen = words.load(11 + blockIdx.x, 'acquire', 'system');
      words.store(13 + blockIdx.x, seen, 'relaxed');
      words[15 + blockIdx.x] = words.load(13 + blockIdx.x, 'relaxed', 'thread') + u32(comm.rank);
    }
  },
);
