import { at as itemAt } from '@nccl-ts/core';
import {
  devComm,
  resourceLocalPointer,
  resourceBufferOffset,
  resourcePeerPointer,
  resourceBuffer,
  symPtr,
  team,
  window,
} from '@nccl-ts/devcomm';
import { i32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';

const words = 16;
const shapes = { ranks: [2, 4, 8], lsaSizes: [2, 4] };

/** The contents of word `i` of a rank's memory. */
const mark = (rank: number, i: number): number => rank * 1000 + i;

const gather = kernel(
  {
    name: 'gatherFromTeam',
    use: { lsa, resourceLocalPointer, resourcePeerPointer },
    params: { comm: devComm, at: symPtr(u32), out: window, of: team, handle: u32, phase: u32 },
  },
  ({ lsa, resourceLocalPointer, resourcePeerPointer, threadIdx, i32, u32 }, { comm, at, out, of, handle, phase }) => {
    const t = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0);
    if (phase === 0) resourceLocalPointer(comm, u32, handle).store(t, u32(comm.rank) * 1000 + 500 + t);
    else {
      for (let i = i32(0); i < of.nRanks; i++) {
        o.store(48 * i + t, lsa.teamPointer(at.window, u32, 0, of, i).load(t));
        o.store(48 * i + 16 + t, at.teamPtr(of, i).load(t));
        o.store(48 * i + 32 + t, resourcePeerPointer(comm, u32, handle, of, i).load(t));
      }
    }
  },
);

export const teamPointer: Case<'windows/team-pointer'> = defineCase({
  id: 'windows/team-pointer',
  mirrors: 'ncclGetPeerPointer, ncclSymPtr::peerPtr with a team; ncclGetResourceBufferPeerPointer',
  ...shapes,
  kernels: [gather],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', words + 4);
      await win.write(count(words + 4).map((i) => mark(comm.rank, i)));
      const dev = await comm.createDevComm({ resourceRequirementsList: [{ bufferSize: 256 }, { bufferSize: 64 }] });
      const handle = itemAt(dev.plan.resources, 1).bufHandle;
      // Every second rank of the domain, from the last to the first, which is a negative stride.
      const place = comm.lsaRank % 2;
      const members = count(lsaSize / 2).map((i) => comm.rank - comm.lsaRank + place + lsaSize - 2 - 2 * i);
      const of = { nRanks: members.length, rank: members.indexOf(comm.rank), stride: -2 };
      const out = await comm.allocWindow('u32', 48 * members.length);
      for (const phase of [0, 1]) {
        const args = { comm: dev, at: win.symPtr(4), out, of, handle, phase };
        await comm.launch(gather, { grid: 1, block: words }, args);
        await meet(comm);
      }
      const from = (rank: number, first: number): readonly number[] => count(words).map((i) => mark(rank, first + i));
      expectValues(
        `rank ${comm.rank}`,
        await out.read(),
        members.flatMap((rank) => [...from(rank, 0), ...from(rank, 1), ...from(rank, 500)]),
      );
    });
  },
});

const arithmetic = kernel(
  {
    name: 'symPtrArithmetic',
    use: { lsa },
    params: { at: symPtr(u32), out: window, up: u32, down: i32 },
  },
  ({ lsa, u32, f32, vec, sizeOf }, { at, out, up, down }) => {
    const o = lsa.localPointer(out, u32, 0);
    o.store(0, at.add(3).localPtr().load(0));
    o.store(1, at.add(up).localPtr().load(0));
    o.store(2, at.add(down).localPtr().load(0));
    o.store(3, at.add(up).add(-1).localPtr().load(1));
    const wide = at.cast(vec(u32, 4));
    o.store(4, wide.add(1).cast(u32).localPtr().load(0));
    o.store(5, sizeOf(wide.T) + 100 * sizeOf(at.T) + 10000 * sizeOf(f32));
    let moving = at;
    for (let i = 0; i < 4; i++) moving = moving.add(2);
    o.store(6, moving.localPtr().load(0));
    o.store(7, u32(moving.offset - at.offset));
    moving.add(1).localPtr().store(0, 4242);
  },
);

export const symPtrArithmetic: Case<'windows/sym-ptr-arithmetic'> = defineCase({
  id: 'windows/sym-ptr-arithmetic',
  mirrors: 'ncclSymPtr: operators + - += -=, conversion to other elements',
  ranks: [1],
  kernels: [arithmetic],
  run: async ({ run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', 32);
      await win.write(count(32).map((i) => mark(7, i)));
      const out = await comm.allocWindow('u32', 8);
      await comm.launch(arithmetic, { grid: 1, block: 1 }, { at: win.symPtr(32), out, up: 5, down: -6 });
      const at = (i: number): number => mark(7, 8 + i);
      expectValues('out', await out.read(), [at(3), at(5), at(-6), at(5), at(4), 16 + 400 + 40000, at(8), 32]);
      expectValues('what was stored', (await win.read()).subarray(16, 19), [mark(7, 16), 4242, mark(7, 18)]);
    });
  },
});

const resources = kernel(
  {
    name: 'resourceSymmetric',
    use: { lsa, resourceBuffer, resourceBufferOffset },
    params: { comm: devComm, out: window, handle: u32, phase: u32 },
  },
  ({ lsa, resourceBuffer, resourceBufferOffset, threadIdx, u32 }, { comm, out, handle, phase }) => {
    const t = threadIdx.x;
    const buffer = resourceBuffer(comm, u32, handle);
    if (phase === 0) buffer.localPtr().store(t, u32(comm.rank) * 1000 + t);
    else {
      const o = lsa.localPointer(out, u32, 0);
      o.store(t, buffer.lsaPtr((comm.lsaRank + 1) % comm.lsaSize).load(t));
      if (t === 0)
        o.store(16, u32(resourceBufferOffset(handle)) + (buffer.offset === resourceBufferOffset(handle) ? 0 : 1));
    }
  },
);

export const resourceSymmetric: Case<'windows/resource-sym-ptr'> = defineCase({
  id: 'windows/resource-sym-ptr',
  mirrors: 'ncclGetResourceBuffer, ncclGetResourceBufferOffset',
  ...shapes,
  kernels: [resources],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const dev = await comm.createDevComm({ resourceRequirementsList: [{ bufferSize: 300 }, { bufferSize: 64 }] });
      const handle = itemAt(dev.plan.resources, 1).bufHandle;
      const out = await comm.allocWindow('u32', words + 1);
      for (const phase of [0, 1]) {
        await comm.launch(resources, { grid: 1, block: words }, { comm: dev, out, handle, phase });
        await meet(comm);
      }
      const next = comm.rank - comm.lsaRank + ((comm.lsaRank + 1) % lsaSize);
      expectValues(`rank ${comm.rank}`, await out.read(), [...count(words, next * 1000), handle * 128]);
    });
  },
});
