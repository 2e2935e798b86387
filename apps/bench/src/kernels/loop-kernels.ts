import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

const params = { win: window, count: u32 };

/** Each thread has loops in loops, with a number of rounds that depends on the data. */
export const nestedLoopsKernel = kernel(
  { name: 'nestedLoops', use: { lsa }, params },
  ({ lsa, u32, threadIdx, blockIdx, blockDim, gridDim }, { win, count }) => {
    const p = lsa.localPointer(win, u32, 0);
    const first = threadIdx.x + blockDim.x * blockIdx.x;
    for (let o = first; o < count; o += blockDim.x * gridDim.x) {
      let x = o | 1;
      let steps = u32(0);
      while (x !== 1 && steps < 40) {
        x = (x & 1) === 0 ? x >> 1 : x * 3 + 1;
        for (let k = u32(0); k < (x & 3); k++) steps++;
        steps++;
      }
      p[o] = steps;
    }
  },
);

/** Loops that differ between threads, inside a loop that all threads share. */
export const sharedRoundsKernel = kernel(
  { name: 'sharedRounds', use: { lsa }, params },
  ({ lsa, u32, coopCta, threadIdx, blockIdx, blockDim }, { win, count }) => {
    const p = lsa.localPointer(win, u32, 0);
    const begin = blockIdx.x * count;
    let sum = u32(threadIdx.x);
    for (let round = u32(0); round < 64; round++) {
      for (let o = threadIdx.x; o < count; o += blockDim.x) p[begin + o] = sum + o;
      coopCta().sync();
      let k = threadIdx.x & 7;
      while (k < 16) {
        sum = sum * 3 + p[begin + ((threadIdx.x + k) & 255)]!;
        k++;
      }
      coopCta().sync();
    }
    p[begin + threadIdx.x] = sum;
  },
);

/** The threads diverge at a wait, so that each has a program counter. */
export const partedThreadsKernel = kernel(
  { name: 'partedThreads', use: { lsa }, params },
  ({ lsa, u32, threadIdx, blockIdx, blockDim }, { win, count }) => {
    const p = lsa.localPointer(win, u32, 0);
    const own = 8 + threadIdx.x + blockDim.x * blockIdx.x;
    let sum = u32(threadIdx.x);
    if ((threadIdx.x & 1) === 0) while (p.load(0, 'acquire') !== 0);
    for (let i = u32(0); i < count; i++) {
      let x = sum & 31;
      while (x < 32) x += 3;
      sum = sum * 5 + x;
    }
    p[own] = sum;
  },
);
