import { cft } from '@nccl-ts/cft';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { countedRequires, withCounters, wordOf } from './words.ts';

const words = 32;
const use = { cft, lsa };
const params = { comm: devComm, win: window, out: window, counter: u32 };

/** Every rank puts its words to every rank, and each waits until all have arrived. */
const allGather = kernel(
  { name: 'fabricAllGather', use, params },
  ({ cft, lsa, coopCta, sharedArray, threadIdx, u32, u64 }, { comm, win, out, counter }) => {
    const smem = sharedArray(u64, 2);
    const part = sharedArray(u32, 32);
    const t = threadIdx.x;
    const fabric = cft.session(coopCta(), smem);
    part.store(t, u32(comm.rank) * 1000 + t);
    cft.memFence(coopCta(), 'release', 'generic', 'fabric', 'block');
    const team = cft.team(comm);
    for (let peer = 0; peer < team.nRanks; peer++) {
      const le = cft.leInfo(win, 0, peer, team, comm);
      const to = le.leOffset + u64(u32(team.rank) * 128);
      fabric.putCounted(coopCta(), le.leId, to, le.leOffset + u64(counter), part, 128);
    }
    fabric.submit(coopCta());
    fabric.flush(coopCta());
    const arrived = lsa.localPointer(win, u64, counter);
    fabric.waitCounted(coopCta(), 'acquire', 'generic', arrived, u64(team.nRanks) * u64(128));
    for (let i = t; i < u32(team.nRanks) * 32; i += 32) {
      lsa.localPointer(out, u32, 0).store(i, lsa.localPointer(win, u32, 0).load(i));
    }
  },
);

/** The same within each multicast group, with one operation. */
const multicast = kernel(
  { name: 'fabricMulticastGather', use, params },
  ({ cft, lsa, coopCta, sharedArray, threadIdx, u32, u64 }, { comm, win, out, counter }) => {
    const smem = sharedArray(u64, 2);
    const part = sharedArray(u32, 32);
    const t = threadIdx.x;
    const fabric = cft.session(coopCta(), smem);
    part.store(t, u32(comm.rank) * 1000 + t);
    cft.memFence(coopCta(), 'release', 'generic', 'fabric', 'block');
    const team = cft.teamMultimem(comm);
    const le = cft.multimemLeInfo(win, 0, comm);
    const to = le.leOffset + u64(u32(team.rank) * 128);
    fabric.putMultimemCounted(coopCta(), le.leId, to, le.leOffset + u64(counter), part, 128);
    fabric.submit(coopCta());
    fabric.flush(coopCta());
    const arrived = lsa.localPointer(win, u64, counter);
    fabric.waitCounted(coopCta(), 'acquire', 'generic', arrived, u64(team.nRanks) * u64(128));
    for (let i = t; i < u32(team.nRanks) * 32; i += 32) {
      lsa.localPointer(out, u32, 0).store(i, lsa.localPointer(win, u32, 0).load(i));
    }
  },
);

/** The offset of the counter after the words of `ranks` ranks, a multiple of 256 bytes. */
function counterOf(ranks: number): number {
  return Math.ceil((128 * ranks) / 256) * 256;
}

export const fabricCounted: Case<'fabric/counted/unicast'> = defineCase({
  id: 'fabric/counted/unicast',
  mirrors: 'ncclCft::putCounted and waitCounted: an all-gather with one counter for each rank',
  requires: countedRequires,
  ranks: [1, 2, 4],
  lsaSizes: [1, 2],
  kernels: [allGather],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const counter = counterOf(ranks);
      const win = await comm.allocWindow('u32', counter / 4 + 2, withCounters);
      const out = await comm.allocWindow('u32', words * ranks);
      const dev = await comm.createDevComm({ cftCaps: 'cft' });
      await comm.launch(allGather, { grid: 1, block: words }, { comm: dev, win, out, counter });
      expectValues(
        `rank ${comm.rank}`,
        await out.read(),
        count(words * ranks).map((i) => wordOf(Math.floor(i / words), i % words)),
      );
      await meet(comm);
    });
  },
});

export const fabricCountedMulticast: Case<'fabric/counted/multicast'> = defineCase({
  id: 'fabric/counted/multicast',
  mirrors: 'ncclCft::putMultimemCounted: an all-gather by one operation of each rank',
  requires: { ...countedRequires, multimem: true },
  ranks: [2, 4],
  lsaSizes: [2],
  kernels: [multicast],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const counter = counterOf(lsaSize);
      const win = await comm.allocWindow('u32', counter / 4 + 2, withCounters);
      const out = await comm.allocWindow('u32', words * lsaSize);
      const dev = await comm.createDevComm({ cftCaps: 'cftMultimem' });
      await comm.launch(multicast, { grid: 1, block: words }, { comm: dev, win, out, counter });
      const first = comm.rank - comm.lsaRank;
      expectValues(
        `rank ${comm.rank}`,
        await out.read(),
        count(words * lsaSize).map((i) => wordOf(first + Math.floor(i / words), i % words)),
      );
      await meet(comm);
    });
  },
});

/** One wait that times out, and one that does not. */
const inTime = kernel(
  { name: 'fabricWaitInTime', use, params },
  ({ cft, lsa, coopCta, sharedArray, threadIdx, u32, u64 }, { win, out, counter }) => {
    const smem = sharedArray(u64, 2);
    const fabric = cft.session(coopCta(), smem);
    const arrived = lsa.localPointer(win, u64, counter);
    const late = fabric.waitCounted(coopCta(), 'acquire', 'generic', arrived, 1, 100);
    const past = fabric.waitCounted(coopCta(), 'relaxed', 'fabric', arrived, 0, 100);
    lsa.localPointer(out, u32, 0).store(threadIdx.x * 2, late);
    lsa.localPointer(out, u32, 0).store(threadIdx.x * 2 + 1, past);
  },
);

export const fabricTimeLimit: Case<'fabric/counted/time-limit'> = defineCase({
  id: 'fabric/counted/time-limit',
  mirrors: 'ncclCft::waitCounted with timeoutCycles: ncclTimeout for the first thread',
  requires: countedRequires,
  ranks: [1],
  kernels: [inTime],
  run: async ({ run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', 2, withCounters);
      await win.write(Uint32Array.of(0, 0));
      const out = await comm.allocWindow('u32', 4);
      const dev = await comm.createDevComm({ cftCaps: 'cft' });
      await comm.launch(inTime, { grid: 1, block: 2 }, { comm: dev, win, out, counter: 0 });
      expectValues(`rank ${comm.rank}`, await out.read(), [8, 0, 0, 0]);
    });
  },
});
