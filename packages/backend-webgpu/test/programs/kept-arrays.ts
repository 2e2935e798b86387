import { devComm, window, type DevCommArg, type WindowArg } from '@nccl-ts/devcomm';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Elements of the array that each thread has. */
const OWN = 5;

/** The arguments of `keptArrays`. */
export interface KeptArraysArgs {
  readonly comm: DevCommArg;
  readonly win: WindowArg;
  readonly rounds: number;
}

/**
 * A kernel in which a shared array, and an array of each thread, survive while the CTA waits in
 * each of its rounds. Thread i has word i * `spread` of the `words` shared ones, and thread 0 also
 * has the last of them.
 *
 * @returns for each thread the sum over the shared array, the sum over its own array, and the last
 * word
 */
export function keptArrays(words: number, spread: number): Kernel<KeptArraysArgs> {
  return kernel(
    { name: 'keptArrays', use: { lsa, words, spread, OWN }, params: { comm: devComm, win: window, rounds: u32 } },
    (
      { lsa, words, spread, OWN, coopCta, sharedArray, localArray, threadIdx, blockDim, u16, u32 },
      { comm, win, rounds },
    ) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      const i = threadIdx.x;
      const all = sharedArray(u32, words);
      const own = localArray(u16, OWN);
      all.store(i * spread, i * 3 + u32(comm.rank));
      for (let k = u32(0); k < OWN; k++) own.store(k, u16(i * k + 7));
      if (i === 0) all.store(words - 1, 1);
      for (let round = u32(0); round < rounds; round++) {
        bar.sync(coopCta(), 'acq_rel');
        const v = all.load(((i + 1) % blockDim.x) * spread);
        const last = all.load(words - 1);
        coopCta().sync();
        all.store(i * spread, v + u32(own.load(round % OWN)));
        own.store(round % OWN, u16(v));
        if (i === 0) all.store(words - 1, last * 2 + round);
      }
      const out = lsa.localPointer(win, u32, 0);
      let sum = u32(0);
      for (let k = u32(0); k < OWN; k++) sum += u32(own.load(k)) * (k + 1);
      out.store(i, all.load(i * spread));
      out.store(blockDim.x + i, sum);
      if (i === 0) out.store(2 * blockDim.x, all.load(words - 1));
    },
  );
}

/** The same on the host, for one rank. */
export function keptOnHost(threads: number, rank: number, rounds: number): readonly number[] {
  const ids = Array.from({ length: threads }, (_, i) => i);
  let all = ids.map((i) => i * 3 + rank);
  const own = ids.map((i) => Array.from({ length: OWN }, (_, k) => (i * k + 7) & 0xffff));
  let last = 1;
  for (let round = 0; round < rounds; round++) {
    const moved = ids.map((i) => all[(i + 1) % threads] ?? 0);
    const at = round % OWN;
    all = ids.map((i) => ((moved[i] ?? 0) + (own[i]?.[at] ?? 0)) >>> 0);
    ids.forEach((i) => own[i]?.splice(at, 1, (moved[i] ?? 0) & 0xffff));
    last = (last * 2 + round) >>> 0;
  }
  const sums = own.map((values) => values.reduce((sum, value, k) => sum + value * (k + 1), 0));
  return [...all, ...sums, last];
}
