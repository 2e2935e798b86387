import { devComm, llA2AHandle, team, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { count } from '../fixture/numbers.ts';
import { createSlots } from './create-slots.ts';

const params = { comm: devComm, team, handle: llA2AHandle, win: window };
const requires = { scalars: ['u64'] } as const;
const use = { llA2A, lsa };
/** Each CTA has its own session, or one for each of its warps. */
const ctas = 2;

const gather = kernel(
  { name: 'gather', use, params },
  ({ llA2A, lsa, coopCta, threadIdx, blockIdx, blockDim, u32, i32 }, { comm, team, handle, win }) => {
    const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x, team.nRanks * blockDim.x);
    const out = lsa.localPointer(win, u32, 0).offset(blockIdx.x * team.nRanks * blockDim.x);
    session.bcast(team.rank * blockDim.x + threadIdx.x, u32(team.rank) * 1000 + blockIdx.x * 100 + threadIdx.x);
    // Any thread may receive any value, and more than once.
    for (let from = i32(0); from < team.nRanks; from++) {
      const mirrored = from * blockDim.x + (blockDim.x - 1 - threadIdx.x);
      const got = session.recv(u32, mirrored) * 10000 + session.recv(u32, from * blockDim.x);
      out.store(from * blockDim.x + threadIdx.x, got);
    }
    session.endEpoch(coopCta());
  },
);

export const bcast: Case<'ll-a2a/receiving/bcast'> = defineCase({
  id: 'll-a2a/receiving/bcast',
  mirrors: 'ncclLLA2ASession::bcast',
  requires,
  ranks: [1, 2, 3, 8],
  kernels: [gather],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      // More than a warp.
      const block = 36;
      const slots = await createSlots(comm, choice, ctas, (of) => of.nRanks * block);
      const { nRanks } = slots.team;
      const win = await comm.allocWindow('u32', ctas * nRanks * block);
      await comm.launch(gather, { grid: ctas, block }, { ...slots, win });
      const sent = count(ctas).flatMap((cta) =>
        count(nRanks).flatMap((from) => {
          const first = from * 1000 + cta * 100;
          return count(block).map((thread) => (Math.imul(first + block - 1 - thread, 10000) + first) >>> 0);
        }),
      );
      expectValues(`rank ${comm.rank}`, await win.read(), sent);
    });
  },
});

const depth = 4;
const batches = kernel(
  { name: 'batches', use: { ...use, depth }, params },
  (
    { llA2A, lsa, depth, coopCta, localArray, unroll, threadIdx, blockIdx, blockDim, u32, i32 },
    { comm, team, handle, win },
  ) => {
    const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x, team.nRanks * depth * blockDim.x);
    const out = lsa.localPointer(win, u32, 0).offset(blockIdx.x * team.nRanks * blockDim.x * 2 * depth);
    const got = localArray(u32, depth);
    for (let peer = i32(0); peer < team.nRanks; peer++) {
      for (const u of unroll(depth)) {
        const elt = (team.rank * depth + u) * blockDim.x + threadIdx.x;
        session.send(peer, elt, blockIdx.x * 100000 + u32(elt) * 10 + u32(peer));
      }
    }
    for (let from = i32(0); from < team.nRanks; from++) {
      const first = from * depth * blockDim.x + threadIdx.x;
      const place = (from * blockDim.x + threadIdx.x) * 2 * depth;
      // From zero to more than the maximum. Elements past the count are undefined.
      const asked = threadIdx.x % 6;
      session.recvUnrolled(0, depth, first, i32(asked), blockDim.x, got);
      for (const u of unroll(depth)) if (u < asked) out.store(place + u, got.load(u));
      // At least two.
      session.recvUnrolled(2, depth, first, i32(asked), blockDim.x, got);
      for (const u of unroll(depth)) if (u < 2 || u < asked) out.store(place + depth + u, got.load(u));
    }
    session.endEpoch(coopCta());
  },
);

export const unrolled: Case<'ll-a2a/receiving/unrolled'> = defineCase({
  id: 'll-a2a/receiving/unrolled',
  mirrors: 'ncclLLA2ASession::recvUnrolled',
  requires,
  ranks: [1, 2, 4],
  kernels: [batches],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const block = 16;
      const slots = await createSlots(comm, choice, ctas, (of) => of.nRanks * depth * block);
      const { nRanks, rank } = slots.team;
      const win = await comm.allocWindow('u32', ctas * nRanks * block * 2 * depth);
      await comm.launch(batches, { grid: ctas, block }, { ...slots, win });
      const expected = count(ctas).flatMap((cta) =>
        count(nRanks).flatMap((from) =>
          count(block).flatMap((thread) =>
            [0, 2].flatMap((least) =>
              count(depth).map((u) => {
                const there = u < Math.max(least, thread % 6);
                return there ? cta * 100000 + ((from * depth + u) * block + thread) * 10 + rank : 0;
              }),
            ),
          ),
        ),
      );
      expectValues(`rank ${comm.rank}`, await win.read(), expected);
    });
  },
});

/** The data that each CTA of a rank sends. Some of its threads send more than others. */
const perRank = 25;
const strided = kernel(
  { name: 'strided', use: { ...use, perRank }, params },
  ({ llA2A, lsa, perRank, coopCta, threadIdx, blockIdx, blockDim, u32, i32 }, { comm, team, handle, win }) => {
    const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x, team.nRanks * perRank);
    const out = lsa.localPointer(win, u32, 0).offset(blockIdx.x * team.nRanks * perRank);
    for (let i = threadIdx.x; i < perRank; i += blockDim.x) {
      session.bcast(team.rank * perRank + i, u32(team.rank) * 1000 + blockIdx.x * 100 + i);
    }
    for (let i = i32(threadIdx.x); i < team.nRanks * perRank; i += blockDim.x) {
      out.store(i, session.recv(u32, i));
    }
    session.endEpoch(coopCta());
  },
);

export const parted: Case<'ll-a2a/receiving/parted'> = defineCase({
  id: 'll-a2a/receiving/parted',
  mirrors: 'ncclLLA2ASession::recv by threads on divergent paths',
  requires: { ...requires, divergentWaits: true },
  ranks: [2, 4],
  kernels: [strided],
  run: async ({ run }) => {
    await run(async (comm) => {
      const slots = await createSlots(comm, 'lsa', ctas, (of) => of.nRanks * perRank);
      const win = await comm.allocWindow('u32', ctas * comm.lsaSize * perRank);
      await comm.launch(strided, { grid: ctas, block: 16 }, { ...slots, win });
      const expected = count(ctas).flatMap((cta) =>
        count(comm.lsaSize).flatMap((from) => count(perRank).map((i) => from * 1000 + cta * 100 + i)),
      );
      expectValues(`rank ${comm.rank}`, await win.read(), expected);
    });
  },
});

const warps = kernel(
  { name: 'warps', use, params },
  ({ llA2A, lsa, coopWarp, threadIdx, blockIdx, blockDim, u32, i32 }, { comm, team, handle, win }) => {
    const group = coopWarp();
    // The index of the thread among all CTAs.
    const i = blockIdx.x * blockDim.x + threadIdx.x;
    const session = llA2A.session(group, comm, team, handle, i / 32, team.nRanks * group.size());
    let sum = u32(0);
    for (let epoch = u32(0); epoch < 3; epoch++) {
      session.bcast(team.rank * group.size() + group.threadRank(), u32(team.rank) * 1000 + epoch * 200 + i);
      for (let from = i32(0); from < team.nRanks; from++) {
        sum = sum * 7 + session.recv(u32, from * group.size() + group.threadRank());
      }
      session.endEpoch(group);
    }
    lsa.localPointer(win, u32, 0).store(i, sum);
  },
);

export const perWarp: Case<'ll-a2a/receiving/per-warp'> = defineCase({
  id: 'll-a2a/receiving/per-warp',
  mirrors: 'ncclLLA2ASession<ncclCoopWarp>',
  requires: { ...requires, subgroups: true },
  ranks: [1, 2, 4],
  kernels: [warps],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const block = 64;
      const slots = await createSlots(comm, choice, 2 * ctas, (of) => of.nRanks * 32);
      const win = await comm.allocWindow('u32', ctas * block);
      await comm.launch(warps, { grid: ctas, block }, { ...slots, win });
      const expected = count(ctas * block).map((thread) => {
        let sum = 0;
        for (const epoch of count(3)) {
          for (const from of count(slots.team.nRanks)) {
            sum = (Math.imul(sum, 7) + from * 1000 + epoch * 200 + thread) >>> 0;
          }
        }
        return sum;
      });
      expectValues(`rank ${comm.rank}`, await win.read(), expected);
    });
  },
});
