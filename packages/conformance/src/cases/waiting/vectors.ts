import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u64, vec } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';

const CTAS = 2;
const THREADS = 64;

const wordsKernel = kernel(
  { name: 'vectorWords', use: { lsa, Wide: vec(u64, 2) }, params: { comm: devComm, win: window, out: window } },
  (
    { lsa, Wide, blockDim, blockIdx, gridDim, lane, localArray, min, threadIdx, u32, u64, unroll, vec, waitUntil },
    { comm, win, out },
  ) => {
    // Each thread sends words of 8 and 16 bytes to the previous rank, which may see them arrive
    // part by part.
    const V = vec(u32, 4);
    const Half = vec(u32, 2);
    const size = gridDim.x * blockDim.x;
    const at = blockIdx.x * blockDim.x + threadIdx.x;
    const next = (comm.lsaRank + 1) % comm.lsaSize;
    const theirs = (byte: number) => lsa.pointer(win, u32, byte * size, next);
    const mine = (byte: number) => lsa.localPointer(win, u32, byte * size);
    const given = 1000 * (u32(comm.lsaRank) + 1) + at;
    theirs(0)
      .cast(V)
      .store(at, V(given, given + 1, given + 2, given + 3), 'relaxed', 'system');
    theirs(16)
      .cast(Half)
      .store(at, Half(given, given + 5), 'relaxed');
    theirs(24)
      .cast(Wide)
      .store(at, Wide(u64(given), u64(given) << 33), 'relaxed', 'system');

    const came = localArray(V, 1);
    const cameHalf = localArray(Half, 1);
    const cameWide = localArray(Wide, 1);
    waitUntil(() => {
      const whole = mine(0).cast(V).load(at, 'relaxed', 'system');
      const half = mine(16).cast(Half).load(at, 'relaxed');
      const wide = mine(24).cast(Wide).load(at, 'relaxed', 'system');
      came.store(0, whole);
      cameHalf.store(0, half);
      cameWide.store(0, wide);
      return (
        min(min(lane(whole, 0), lane(whole, 1)), min(lane(whole, 2), lane(whole, 3))) !== 0 &&
        min(lane(half, 0), lane(half, 1)) !== 0 &&
        min(lane(wide, 0), lane(wide, 1)) !== 0
      );
    });
    const found = lsa.localPointer(out, u32, 0).offset(8 * at);
    for (const k of unroll(4)) found[k] = lane(came.load(0), k);
    for (const k of unroll(2)) found[4 + k] = lane(cameHalf.load(0), k);
    found[6] = u32(lane(cameWide.load(0), 0));
    found[7] = u32(lane(cameWide.load(0), 1) >> 33);
  },
);

export const vectorWords: Case<'waiting/vector-words'> = defineCase({
  id: 'waiting/vector-words',
  mirrors: 'relaxed accesses of vectors: ld.relaxed.sys.v4 and st.relaxed.sys.v4, each element by itself',
  requires: { scalars: ['u64'] },
  ranks: [1, 2, 3, 8],
  kernels: [wordsKernel],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const threads = CTAS * THREADS;
      const win = await comm.allocWindow('u32', 10 * threads);
      const out = await comm.allocWindow('u32', 8 * threads);
      const dev = await comm.createDevComm();
      await comm.launch(wordsKernel, { grid: CTAS, block: THREADS }, { comm: dev, win, out });
      await meet(comm);
      const sender = (comm.lsaRank + lsaSize - 1) % lsaSize;
      const expected = count(threads).flatMap((at) => {
        const given = 1000 * (sender + 1) + at;
        return [given, given + 1, given + 2, given + 3, given, given + 5, given, given];
      });
      expectValues(`rank ${comm.rank}`, await out.read(), expected);
    });
  },
});
