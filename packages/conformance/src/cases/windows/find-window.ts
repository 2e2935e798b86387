import { at as itemAt } from '@nccl-ts/core';
import { winGetUserPtr } from '@nccl-ts/communicator';
import { devComm, findWindow, resourceLocalPointer, window, windowOffset } from '@nccl-ts/devcomm';
import { i32, kernel, ptr, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { count } from '../fixture/numbers.ts';
import { trapCase } from '../fixture/trap-case.ts';

const requires = { primitives: ['findWindow', 'windowOffset'] } as const;
const withBytes = { ...requires, scalars: ['u8'] } as const;
const words = 16;

/** The contents of word `i` of the rank's copy of the first or second window. */
const mark = (rank: number, which: number, i: number): number => rank * 1000 + which * 100 + i;

/** Each thread finds the window of a pointer, and reads the same word in it at the next rank. */
const lookUp = kernel(
  {
    name: 'lookUpWindows',
    use: { lsa, findWindow, windowOffset, words },
    params: { comm: devComm, a: window, b: window, at: ptr(u32), out: window },
  },
  (
    { lsa, findWindow, windowOffset, words, coopCta, coopThread, threadIdx, blockIdx, blockDim, u32, u8 },
    { comm, a, b, at, out },
  ) => {
    const t = blockIdx.x * blockDim.x + threadIdx.x;
    const o = lsa.localPointer(out, u32, 0);
    const next = (comm.lsaRank + 1) % comm.lsaSize;
    const given = findWindow(coopCta(), comm, at);
    o.store(t, lsa.pointer(given, u32, windowOffset(comm, at.offset(t)), next).load(0));
    o.store(words + t, u32(given.lsaRank) * 100 + u32(given.worldRank));
    // Windows that differ between threads, kept across a wait.
    const mine = t % 2 === 0 ? lsa.localPointer(a, u32, 4 * t) : lsa.localPointer(b, u32, 4 * t);
    const found = findWindow(coopThread(), comm, mine);
    const where = windowOffset(comm, mine);
    lsa.barrierSession(coopCta(), comm, blockIdx.x).sync(coopCta(), 'acq_rel');
    o.store(2 * words + t, lsa.pointer(found, u32, where, next).load(0));
    // The last byte of the window.
    if (t === 0) o.store(3 * words, u32(windowOffset(comm, mine.cast(u8).offset(4 * words - 1))));
  },
);

export const findsWindows: Case<'windows/find-window'> = defineCase({
  id: 'windows/find-window',
  mirrors: 'ncclFindWindow',
  requires: withBytes,
  ranks: [1, 2, 4],
  lsaSizes: [1, 2, 4],
  kernels: [lookUp],
  run: async ({ run }) => {
    await run(async (comm) => {
      const all = [];
      for (const which of [0, 1]) {
        const win = await comm.allocWindow('u32', words);
        await win.write(count(words).map((i) => mark(comm.rank, which, i)));
        all.push(win);
      }
      const [a, b] = all;
      if (a === undefined || b === undefined) throw new Error('There are two windows.');
      const out = await comm.allocWindow('u32', 3 * words + 1);
      const ctas = 2;
      const dev = await comm.createDevComm({ lsaBarrierCount: ctas });
      await comm.launch(lookUp, { grid: ctas, block: words / ctas }, { comm: dev, a, b, at: winGetUserPtr(b), out });
      const next = comm.rank - comm.lsaRank + ((comm.lsaRank + 1) % comm.lsaSize);
      expectValues(`rank ${comm.rank}`, await out.read(), [
        ...count(words).map((i) => mark(next, 1, i)),
        ...count(words).map(() => comm.lsaRank * 100 + comm.rank),
        ...count(words).map((i) => mark(next, i % 2, i)),
        4 * words - 1,
      ]);
    });
  },
});

const lookUpResources = kernel(
  {
    name: 'lookUpResources',
    use: { lsa, findWindow, windowOffset, resourceLocalPointer },
    params: { comm: devComm, handle: u32, out: window },
  },
  ({ lsa, findWindow, windowOffset, resourceLocalPointer, coopCta, u32 }, { comm, handle, out }) => {
    const buffer = resourceLocalPointer(comm, u32, handle);
    buffer.store(3, 4242);
    const found = findWindow(coopCta(), comm, buffer);
    const o = lsa.localPointer(out, u32, 0);
    o.store(0, u32(windowOffset(comm, buffer)));
    o.store(1, lsa.localPointer(found, u32, windowOffset(comm, buffer.offset(3))).load(0));
  },
);

export const findsResources: Case<'windows/find-resource-window'> = defineCase({
  id: 'windows/find-resource-window',
  mirrors: 'ncclFindWindow of the resource window',
  requires,
  ranks: [2],
  kernels: [lookUpResources],
  run: async ({ run }) => {
    await run(async (comm) => {
      const dev = await comm.createDevComm({ resourceRequirementsList: [{ bufferSize: 300 }, { bufferSize: 64 }] });
      const handle = itemAt(dev.plan.resources, 1).bufHandle;
      const out = await comm.allocWindow('u32', 2);
      await comm.launch(lookUpResources, { grid: 1, block: 1 }, { comm: dev, handle, out });
      expectValues('out', await out.read(), [128 * handle, 4242]);
    });
  },
});

const lookUpStray = kernel(
  {
    name: 'lookUpStray',
    use: { lsa, findWindow, windowOffset },
    params: { comm: devComm, win: window, out: window, n: i32 },
  },
  ({ lsa, findWindow, windowOffset, coopCta, u32, u8 }, { comm, win, out, n }) => {
    const mine = lsa.localPointer(win, u8, 0);
    const o = lsa.localPointer(out, u32, 0);
    if (n === 1) o.store(0, u32(findWindow(coopCta(), comm, mine.offset(64)).lsaRank));
    else if (n === 2) o.store(0, u32(findWindow(coopCta(), comm, mine.offset(-1)).lsaRank));
    else if (n === 3) o.store(0, u32(windowOffset(comm, lsa.pointer(win, u8, 8, (comm.lsaRank + 1) % comm.lsaSize))));
    else if (n === 4) o.store(0, u32(windowOffset(comm, mine.offset(64))));
    else o.store(0, u32(findWindow(coopCta(), comm, mine.offset(63)).lsaRank));
  },
);

export const stray: Case<'traps/pointers/find-window-outside'> = trapCase({
  id: 'traps/pointers/find-window-outside',
  mirrors: 'ncclFindWindow of a pointer into no window, whose search has no end',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  requires: withBytes,
  ranks: [2],
  kernels: [lookUpStray],
  prepare: async (comm) => ({
    comm: await comm.createDevComm(),
    win: await comm.allocWindow('u8', 64),
    out: await comm.allocWindow('u32', 1),
  }),
  launch: async (comm, args, n) => comm.launch(lookUpStray, { grid: 1, block: 1 }, { ...args, n }),
  harmless: () => [0],
  harmful: () => [1, 2, 3, 4],
});
