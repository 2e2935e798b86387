import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** The cells of each rank, one for each thread. */
export const CELLS = 64;

/**
 * Solves u[i] = (u[i - 1] + u[i + 1]) / 4 + b[i] on a ring of cells by Jacobi's method. Each rank
 * has `CELLS` cells. A round reads the cells of the previous round, and those at the edges from the
 * neighbours. The kernel ends when no cell of any rank has changed by more than `least`, which all
 * ranks report to each other in each round. Only the kernel knows the number of rounds.
 *
 * `cells` has b, and then the two states that rounds write alternately. `told` has, for each of two
 * rounds alternately, the largest change at each rank, as bits, followed by the rounds.
 */
export const jacobi = kernel(
  { name: 'jacobi', use: { lsa, CELLS }, params: { comm: devComm, cells: window, told: window, least: f32 } },
  ({ lsa, CELLS, coopCta, sharedArray, threadIdx, abs, bitcast, f32, i32, u32 }, { comm, cells, told, least }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const rank = comm.lsaRank;
    const n = comm.lsaSize;
    const i = threadIdx.x;
    const mine = lsa.localPointer(cells, f32, 0);
    const left = lsa.pointer(cells, f32, 0, (rank + n - 1) % n);
    const right = lsa.pointer(cells, f32, 0, (rank + 1) % n);
    const worst = sharedArray(u32, 1);
    const b = mine.load(i);
    let rounds = u32(0);
    let going = true;
    while (going) {
      const from = CELLS * (1 + (rounds % 2));
      const to = CELLS * (2 - (rounds % 2));
      if (i === 0) worst.store(0, 0);
      coopCta().sync();
      const before = i === 0 ? left.load(from + CELLS - 1) : mine.load(from + i - 1);
      const after = i === CELLS - 1 ? right.load(from) : mine.load(from + i + 1);
      const next = (before + after) * 0.25 + b;
      mine.store(to + i, next);
      // The bits of floats that are not negative have the order of their values.
      worst.atomicMax(0, bitcast(u32, abs(next - mine.load(from + i))), 'relaxed');
      coopCta().sync();
      const half = 8 * (rounds % 2);
      if (i < u32(n)) lsa.pointer(told, u32, 0, i32(i)).store(half + u32(rank), worst.load(0));
      bar.sync(coopCta(), 'acq_rel');
      let most = f32(0);
      for (let peer = u32(0); peer < u32(n); peer++) {
        const change = bitcast(f32, lsa.localPointer(told, u32, 0).load(half + peer));
        most = change > most ? change : most;
      }
      rounds++;
      going = coopCta().any(most > least);
    }
    if (i === 0) lsa.localPointer(told, u32, 0).store(16, rounds);
  },
);

/** The same on the host: the cells of all ranks, and the rounds. */
export function solveOnHost(
  b: readonly number[],
  least: number,
): { readonly cells: readonly number[]; readonly rounds: number } {
  const { fround } = Math;
  let cells: readonly number[] = b.map(() => 0);
  for (let rounds = 1; ; rounds++) {
    const at = (i: number): number => cells[(i + cells.length) % cells.length] ?? 0;
    const next = b.map((own, i) => fround(fround(fround(at(i - 1) + at(i + 1)) * 0.25) + own));
    const changes = next.map((value, i) => Math.abs(fround(value - at(i))));
    cells = next;
    if (Math.max(...changes) <= fround(least)) return { cells, rounds };
  }
}
