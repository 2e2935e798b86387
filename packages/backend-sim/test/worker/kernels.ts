import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Sums over the ranks, between two barriers. */
export const allReduce = kernel(
  { name: 'allReduce', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
    const nRanks = comm.lsaSize;
    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks);
    for (let i = first; i < count; i += blockDim.x * gridDim.x * nRanks) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, 0, peer).load(i);
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, 0, peer).store(i, v);
    }
    bar.sync(coopCta(), 'release');
  },
);

/** Only barriers. */
export const barriers = kernel(
  { name: 'barriers', use: { lsa }, params: { comm: devComm, rounds: u32 } },
  ({ lsa, coopCta, blockIdx }, { comm, rounds }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    for (let i = 0; i < rounds; i++) bar.sync(coopCta(), 'acq_rel');
  },
);

/**
 * Every thread of every CTA of every rank adds to words of rank 0. A kernel that prints does so in
 * JavaScript.
 */
export function addsIn(engine: 'wasm' | 'js') {
  return kernel(
    { name: `adds_${engine}`, use: { lsa, PRINTS: engine === 'js' }, params: { win: window, rounds: u32 } },
    ({ lsa, PRINTS, print, u32, u64, f32, f64, threadIdx }, { win, rounds }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      const long = lsa.pointer(win, u64, 64, 0);
      const float = lsa.pointer(win, f32, 128, 0);
      const double = lsa.pointer(win, f64, 136, 0);
      for (let i = 0; i < rounds; i++) {
        words.atomicAdd(0, 1);
        long.atomicAdd(0, 1);
        float.atomicAdd(0, 1);
        double.atomicAdd(0, 1);
        words.atomicMax(1, threadIdx.x + i);
        const seen = words.load(2, 'relaxed');
        if (words.atomicCas(2, seen, seen + 1) === seen) words.atomicAdd(3, 1);
      }
      if (PRINTS && rounds === 0) print('nothing added');
    },
  );
}

export const adds = addsIn('wasm');

/** Prints, and ends. */
export const prints = kernel(
  { name: 'prints', params: { times: u32 } },
  ({ print, blockIdx, threadIdx }, { times }) => {
    if (threadIdx.x === 0) for (let i = 0; i < times; i++) print('cta', blockIdx.x, 'line', i);
  },
);

/** Stores past the end of its window on one thread of one CTA. */
export const strays = kernel(
  { name: 'strays', use: { lsa }, params: { win: window, at: u32 } },
  ({ lsa, u32, threadIdx, blockIdx }, { win, at }) => {
    if (blockIdx.x === 1 && threadIdx.x === 17) lsa.localPointer(win, u32, 0).store(at, 1);
  },
);

/** A barrier at which only rank 1 arrives. */
export const oneMeets = kernel(
  { name: 'oneMeets', use: { lsa }, params: { comm: devComm } },
  ({ lsa, coopCta, blockIdx }, { comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    if (comm.rank === 1) bar.sync(coopCta(), 'acq_rel');
  },
);

/** Loops until a word is set, and does other work meanwhile, so that it is not a wait. */
export const spins = kernel({ name: 'spins', use: { lsa }, params: { win: window } }, ({ lsa, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  while (words.load(0, 'relaxed') === 0) words.atomicAdd(1, 1, 'relaxed');
});

/**
 * Waits for a word, and measures the time. It reads the clock, so it stays on the world's thread.
 * Then it sets another word.
 */
export const clocked = kernel(
  { name: 'clocked', use: { lsa }, params: { win: window, peer: u32 } },
  ({ lsa, u32, u64, clock, waitUntil, threadIdx }, { win, peer }) => {
    const words = lsa.localPointer(win, u32, 0);
    const before = clock();
    waitUntil(() => words.load(0, 'acquire') === 7);
    if (threadIdx.x === 0) {
      lsa.localPointer(win, u64, 16).store(0, clock() - before);
      lsa.pointer(win, u32, 0, peer).store(1, 8, 'release');
    }
  },
);

/** Sets the word for which `clocked` waits on a peer, and waits for its answer. */
export const answered = kernel(
  { name: 'answered', use: { lsa }, params: { win: window, peer: u32 } },
  ({ lsa, u32, waitUntil, threadIdx }, { win, peer }) => {
    if (threadIdx.x === 0) lsa.pointer(win, u32, 0, peer).store(0, 7, 'release');
    const words = lsa.localPointer(win, u32, 0);
    waitUntil(() => words.load(1, 'acquire') === 8);
    if (threadIdx.x === 0) words.store(2, 9);
  },
);
