import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel, type BugLaunch } from './bug-program.ts';

/** Lets the next launch begin early, and writes data that it reads. */
const produce: BugKernel = kernel(
  { name: 'produceEarly', use: { lsa }, params },
  ({ lsa, launchDependents, u32 }, { inbox }) => {
    launchDependents();
    lsa.localPointer(inbox, u32, 0).store(0, 42);
  },
);

/** Accesses no data of the other kernels. */
const between = (WAITS: boolean): BugKernel =>
  kernel(
    { name: `between_${WAITS}`, use: { lsa, WAITS }, params },
    ({ lsa, WAITS, launchDependents, gridDependencySync, u32 }, { out }) => {
      launchDependents();
      if (WAITS) gridDependencySync();
      lsa.localPointer(out, u32, 0).store(4, 1);
    },
  );

const consume = (WAITS: 'before' | 'after'): BugKernel =>
  kernel(
    { name: `consume_${WAITS}`, use: { lsa, WAITS }, params },
    ({ lsa, WAITS, gridDependencySync, u32 }, { inbox, out }) => {
      if (WAITS === 'before') gridDependencySync();
      const seen = lsa.localPointer(inbox, u32, 0).load(0);
      if (WAITS === 'after') gridDependencySync();
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

const early = (made: BugKernel): BugLaunch => ({
  kernel: made,
  attributes: { programmaticStreamSerialization: true },
});

const race = { kind: 'race', lines: ['const seen =', '.store(0, 42)'], anyOrder: true } as const;

export const missingDependencySync: BugClass = {
  id: 'L24',
  title: 'an early launch reads before gridDependencySync()',
  programs: [
    bugProgram({
      name: 'L24/reads-before',
      ranks: 1,
      launches: [{ kernel: produce }, early(consume('after'))],
      expects: race,
    }),
    bugProgram({
      name: 'L24/reads-behind',
      ranks: 1,
      launches: [{ kernel: produce }, early(consume('before'))],
      result: () => [42],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L24/one-between-does-not-wait',
      ranks: 1,
      launches: [{ kernel: produce }, early(between(false)), early(consume('before'))],
      expects: race,
    }),
    bugProgram({
      name: 'L24/one-between-waits',
      ranks: 1,
      launches: [{ kernel: produce }, early(between(true)), early(consume('before'))],
      result: () => [42],
      expects: 'clean',
    }),
  ],
};
