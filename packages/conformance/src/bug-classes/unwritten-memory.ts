import type { World } from '@nccl-ts/communicator';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass, BugProgram, ExpectedFinding } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel } from './bug-program.ts';

const copyNext = kernel({ name: 'copyNext', use: { lsa }, params }, ({ lsa, threadIdx, u32 }, { comm, data, out }) => {
  const next = lsa.pointer(data, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
  const seen = next.load(threadIdx.x);
  lsa.localPointer(out, u32, 0).store(threadIdx.x, seen);
});

/** Copies words 0 and 1. The hosts have written this many of them. */
function partlyWritten(name: string, written: number, expects: 'clean' | ExpectedFinding): BugProgram {
  return Object.freeze({
    name,
    ranks: 2,
    lsaSize: 2,
    multimem: false,
    expects,
    run: async (world: World) => {
      await world.run(async (comm) => {
        const data = await comm.allocWindow('u32', 2);
        const out = await comm.allocWindow('u32', 2);
        await data.write([5, 6].slice(0, written));
        const dev = await comm.createDevComm();
        await comm.launch(copyNext, { grid: 1, block: 2 }, { comm: dev, data, inbox: data, out });
        await comm.synchronize();
      });
    },
  });
}

const sharedWords = (FILLED: boolean): BugKernel =>
  kernel(
    { name: `sharedWords_${FILLED}`, use: { lsa, FILLED }, params },
    ({ lsa, FILLED, coopCta, sharedArray, threadIdx, u32 }, { data, out }) => {
      const shared = sharedArray(u32, 2);
      if (FILLED || threadIdx.x === 0) shared.store(threadIdx.x, lsa.localPointer(data, u32, 0).load(threadIdx.x));
      coopCta().sync();
      const seen = shared.load(1 - threadIdx.x);
      lsa.localPointer(out, u32, 0).store(threadIdx.x, seen);
    },
  );

/** Thread 0 sets up a word for which the other warp waits. It stores with or without an order. */
const firstStore = (ORDERED: boolean, MEETS: boolean): BugKernel =>
  kernel(
    { name: `firstStore_${ORDERED}_${MEETS}`, use: { lsa, ORDERED, MEETS }, params },
    ({ lsa, ORDERED, MEETS, coopCta, sharedArray, threadIdx, u32, waitUntil }, { out }) => {
      const ready = sharedArray(u32, 1);
      if (threadIdx.x === 0) {
        if (ORDERED) {
          ready.store(0, 0, 'release', 'block'); // ordered
        } else {
          ready.store(0, 0); // plain
        }
      }
      if (MEETS) coopCta().sync();
      if (threadIdx.x === 0) ready.store(0, 1, 'release', 'block');
      if (threadIdx.x === 32) {
        waitUntil(() => ready.load(0, 'acquire', 'block') === 1);
        lsa.localPointer(out, u32, 0).store(0, 7);
      }
    },
  );

export const unwrittenMemory: BugClass = {
  id: 'L22',
  title: 'a kernel reads memory that no thread has written',
  programs: [
    // Windows are zero-filled, so the result is known, even if it is not the intended one.
    partlyWritten('L22/window-not-written', 1, {
      kind: 'uninitialised',
      severity: 'note',
      lines: ['const seen = next.load('],
    }),
    partlyWritten('L22/window-written', 2, 'clean'),
    bugProgram({
      name: 'L22/shared-array-not-written',
      ranks: 1,
      launches: [{ kernel: sharedWords(false), block: 2 }],
      expects: { kind: 'uninitialised', lines: ['const seen = shared.load('] },
    }),
    bugProgram({
      name: 'L22/shared-array-written',
      ranks: 1,
      launches: [{ kernel: sharedWords(true), block: 2 }],
      result: (rank) => [dataWord(rank, 1), dataWord(rank, 0)],
      expects: 'clean',
    }),
    // The word may hold anything before its first store, so the wait may end at once.
    ...[true, false].flatMap((ordered) => [
      bugProgram({
        name: `L22/wait-before-first-store-${ordered ? 'release' : 'plain'}`,
        ranks: 1,
        launches: [{ kernel: firstStore(ordered, false), block: 64 }],
        expects: {
          kind: 'uninitialised',
          lines: ['ready.load(', ordered ? '// ordered' : '// plain'],
        },
      }),
      bugProgram({
        name: `L22/wait-after-first-store-${ordered ? 'release' : 'plain'}`,
        ranks: 1,
        launches: [{ kernel: firstStore(ordered, true), block: 64 }],
        result: () => [7, 0],
        expects: 'clean',
      }),
    ]),
  ],
};
