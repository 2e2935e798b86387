import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Every rank writes to the next one, which copies the value it received. */
export const hands = kernel(
  { name: 'hands', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acq_rel');
    const mine = lsa.localPointer(win, f32, 0);
    const next = lsa.pointer(win, f32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    for (let i = threadIdx.x; i < count; i += blockDim.x) next[i] = f32(i);
    bar.sync(coopCta(), 'acq_rel');
    for (let i = threadIdx.x; i < count; i += blockDim.x) mine[count + i] = mine[i]!;
  },
);

/** The same with a barrier in between that does not order. */
export const drops = kernel(
  { name: 'drops', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acq_rel');
    const mine = lsa.localPointer(win, f32, 0);
    const next = lsa.pointer(win, f32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    for (let i = threadIdx.x; i < count; i += blockDim.x) next[i] = f32(i);
    bar.sync(coopCta(), 'relaxed');
    for (let i = threadIdx.x; i < count; i += blockDim.x) mine[count + i] = mine[i]!;
  },
);

/** Fails on its second thread. */
export const fails = kernel({ name: 'fails', use: {}, params: {} }, ({ assert, threadIdx }) => {
  assert(threadIdx.x !== 1, 'not the second');
});

/** Spins forever, in a loop that is not a wait. */
export const spins = kernel({ name: 'spins', use: { lsa }, params: { win: window } }, ({ lsa, u32 }, { win }) => {
  const flags = lsa.localPointer(win, u32, 0);
  while (flags.load(0, 'relaxed') === 0) flags.store(0, 0, 'relaxed');
});

/** Does nothing. */
export const rests = kernel({ name: 'rests', use: {}, params: {} }, () => {});
