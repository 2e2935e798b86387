import { cft } from '@nccl-ts/cft';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { fabricRequires, wordOf } from './words.ts';

const words = 32;
const use = { cft, lsa };
const params = { comm: devComm, win: window, out: window };

/** Puts to the next rank: all bytes, or those in a mask. */
const put = kernel(
  { name: 'fabricPut', use, params: { ...params, mask: u32 } },
  ({ cft, lsa, coopCta, sharedArray, threadIdx, u32, u64 }, { comm, win, out, mask }) => {
    const smem = sharedArray(u64, 2);
    const part = sharedArray(u32, 32);
    const t = threadIdx.x;
    const fabric = cft.session(coopCta(), smem);
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    part.store(t, u32(comm.rank) * 1000 + t);
    cft.memFence(coopCta(), 'release', 'generic', 'fabric', 'block');
    const team = cft.team(comm);
    const le = cft.leInfo(win, 0, (team.rank + 1) % team.nRanks, team, comm);
    if (mask === 0xffff) fabric.put(coopCta(), le.leId, le.leOffset, part, 128);
    else fabric.putCpMask(coopCta(), le.leId, le.leOffset, part, 128, mask);
    fabric.submit(coopCta());
    fabric.flush(coopCta());
    cft.memFence(coopCta(), 'release', 'fabric', 'generic', 'system');
    bar.sync(coopCta(), 'acq_rel');
    cft.memFence(coopCta(), 'acquire', 'fabric', 'generic', 'system');
    lsa.localPointer(out, u32, 0).store(t, lsa.localPointer(win, u32, 0).load(t));
  },
);

const putCase = <const Id extends string>(id: Id, mirrors: string, mask: number): Case<Id> =>
  defineCase({
    id,
    mirrors,
    requires: fabricRequires,
    ranks: [1, 2, 4],
    kernels: [put],
    run: async ({ run, shape: { ranks } }) => {
      await run(async (comm) => {
        const win = await comm.allocWindow('u32', words);
        const out = await comm.allocWindow('u32', words);
        await win.write(count(words).map(() => 9));
        const dev = await comm.createDevComm({ cftCaps: 'cft', lsaBarrierCount: 1 });
        await meet(comm);
        await comm.launch(put, { grid: 1, block: words }, { comm: dev, win, out, mask });
        const from = (comm.rank + ranks - 1) % ranks;
        const isSent = (i: number): boolean => (mask >> (4 * (i % 4))) % 16 === 15;
        expectValues(
          `rank ${comm.rank}`,
          await out.read(),
          count(words).map((i) => (isSent(i) ? wordOf(from, i) : 9)),
        );
        await meet(comm);
      });
    },
  });

export const fabricPut: Case<'fabric/put/unicast'> = putCase(
  'fabric/put/unicast',
  'ncclCft::put, submit and flush: bytes of shared memory to the next rank',
  0xffff,
);

export const fabricMask: Case<'fabric/put/copy-mask'> = putCase(
  'fabric/put/copy-mask',
  'ncclCft::putCpMask: of every 16 bytes the first four and the last four',
  0xf00f,
);

/** Two warps each put a part to all ranks of the group. Sources are reused after flushSmem. */
const multicast = kernel(
  { name: 'fabricMulticast', use, params },
  ({ cft, lsa, coopCta, coopWarp, sharedArray, threadIdx, u32, u64 }, { comm, win, out }) => {
    const smem = sharedArray(u64, 2);
    const part = sharedArray(u32, 64);
    const t = threadIdx.x;
    const warp = t / 32;
    const fabric = cft.session(coopCta(), smem);
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const team = cft.teamMultimem(comm);
    for (let round = u32(0); round < 2; round++) {
      part.store(t, u32(comm.rank) * 1000 + round * 64 + t);
      cft.memFence(coopWarp(), 'release', 'generic', 'fabric', 'block');
      const offset = u32(team.rank) * 512 + round * 256 + warp * 128;
      const le = cft.multimemLeInfo(win, offset, comm);
      fabric.putMultimem(coopWarp(), le.leId, le.leOffset, part.offset(warp * 32), 128);
      fabric.submit(coopWarp());
      fabric.flushSmem(coopWarp());
    }
    coopCta().sync();
    fabric.flush(coopCta());
    cft.memFence(coopCta(), 'release', 'fabric', 'generic', 'system');
    bar.sync(coopCta(), 'acq_rel');
    cft.memFence(coopCta(), 'acquire', 'fabric', 'generic', 'system');
    for (let i = t; i < u32(team.nRanks) * 128; i += 64) {
      lsa.localPointer(out, u32, 0).store(i, lsa.localPointer(win, u32, 0).load(i));
    }
  },
);

export const fabricMulticast: Case<'fabric/put/multicast'> = defineCase({
  id: 'fabric/put/multicast',
  mirrors: 'ncclCft::putMultimem and flushSmem, by the warps of a CTA',
  requires: { ...fabricRequires, multimem: true, subgroups: true },
  ranks: [1, 2, 4],
  lsaSizes: [1, 2],
  kernels: [multicast],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', 128 * lsaSize);
      const out = await comm.allocWindow('u32', 128 * lsaSize);
      const dev = await comm.createDevComm({ cftCaps: 'cftMultimem', lsaBarrierCount: 1 });
      await comm.launch(multicast, { grid: 1, block: 64 }, { comm: dev, win, out });
      const first = comm.rank - comm.lsaRank;
      expectValues(
        `rank ${comm.rank}`,
        await out.read(),
        count(128 * lsaSize).map((i) => wordOf(first + Math.floor(i / 128), i % 128)),
      );
      await meet(comm);
    });
  },
});

/** Gets from the next rank, by its world rank. */
const get = kernel(
  { name: 'fabricGet', use, params },
  ({ cft, lsa, coopCta, sharedArray, threadIdx, u32, u64 }, { comm, win, out }) => {
    const smem = sharedArray(u64, 2);
    const part = sharedArray(u32, 32);
    const t = threadIdx.x;
    const fabric = cft.session(coopCta(), smem);
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    lsa.localPointer(win, u32, 0).store(t, u32(comm.rank) * 1000 + t);
    cft.memFence(coopCta(), 'release', 'generic', 'fabric', 'system');
    bar.sync(coopCta(), 'acq_rel');
    cft.memFence(coopCta(), 'acquire', 'generic', 'fabric', 'system');
    const le = cft.peerLeInfo(win, 16, (comm.rank + 1) % comm.nRanks, comm);
    fabric.get(coopCta(), le.leId, le.leOffset, part, 112);
    fabric.submit(coopCta());
    fabric.flush(coopCta());
    if (t < 28) lsa.localPointer(out, u32, 0).store(t, part.load(t));
  },
);

export const fabricGet: Case<'fabric/get'> = defineCase({
  id: 'fabric/get',
  mirrors: 'ncclCft::get: bytes of the next rank to shared memory',
  requires: fabricRequires,
  ranks: [1, 2, 4],
  kernels: [get],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', words);
      const out = await comm.allocWindow('u32', words);
      const dev = await comm.createDevComm({ cftCaps: 'cft', lsaBarrierCount: 1 });
      await comm.launch(get, { grid: 1, block: words }, { comm: dev, win, out });
      const from = (comm.rank + 1) % ranks;
      expectValues(
        `rank ${comm.rank}`,
        (await out.read()).subarray(0, 28),
        count(28).map((i) => wordOf(from, i + 4)),
      );
      await meet(comm);
    });
  },
});
