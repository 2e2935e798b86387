import { isNcclError } from '@nccl-ts/core';
import {
  devComm,
  multimemHandle,
  resourceLocalPointer,
  resourceLsaMultimemPointer,
  resourceMultimemPointer,
  window,
} from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';
import { teamInnerFactor } from '@nccl-ts/topology';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat, expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';

const adds = kernel(
  {
    name: 'addsToResources',
    use: { multimem, resourceMultimemPointer, resourceLsaMultimemPointer },
    params: { comm: devComm, half: multimemHandle, buffer: u32, value: u32 },
  },
  ({ multimem, resourceMultimemPointer, resourceLsaMultimemPointer, u32 }, { comm, half, buffer, value }) => {
    multimem.reduce(resourceLsaMultimemPointer(comm, u32, buffer).offset(1), value);
    multimem.reduce(resourceMultimemPointer(comm, u32, buffer, comm.lsaMultimem).offset(2), value);
    multimem.reduce(resourceMultimemPointer(comm, u32, buffer, half).offset(3), value);
  },
);

const reads = kernel(
  {
    name: 'readsResources',
    use: { lsa, resourceLocalPointer },
    params: { comm: devComm, buffer: u32, win: window },
  },
  ({ lsa, resourceLocalPointer, threadIdx, u32 }, { comm, buffer, win }) => {
    lsa.localPointer(win, u32, 0).store(threadIdx.x, resourceLocalPointer(comm, u32, buffer).load(threadIdx.x));
  },
);

export const resourceBuffers: Case<'multimem/resource-buffers'> = defineCase({
  id: 'multimem/resource-buffers',
  mirrors: 'ncclGetResourceBufferMultimemPointer, ncclGetResourceBufferLsaMultimemPointer',
  requires: { multimem: true },
  ranks: [2, 4],
  lsaSizes: [2, 4],
  kernels: [adds, reads],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const domain = comm.teamLsa();
      const team = teamInnerFactor(domain, lsaSize / 2);
      const dev = await comm.createDevComm({
        lsaMultimem: true,
        resourceRequirementsList: [{ bufferSize: 256 }, { bufferSize: 256 }],
        teamRequirementsList: [{ team, multimem: true }],
      });
      const [half] = dev.multimemHandles;
      const buffer = dev.plan.resources[1]?.bufHandle;
      if (half === undefined || buffer === undefined) throw new Error('The plan lacks the required resources.');
      const win = await comm.allocWindow('u32', 5);
      const value = 2 ** domain.rank;
      await meet(comm);
      await comm.launch(adds, { grid: 1, block: 1 }, { comm: dev, half, buffer, value });
      await meet(comm);
      await comm.launch(reads, { grid: 1, block: 5 }, { comm: dev, buffer, win });
      const all = 2 ** lsaSize - 1;
      const ofHalf = (2 ** team.nRanks - 1) * 2 ** (domain.rank - team.rank);
      expectValues(`rank ${comm.rank}`, await win.read(), [0, all, all, ofHalf, 0]);
    });
  },
});

const through = kernel(
  { name: 'throughAnyHandle', use: { multimem }, params: { handle: multimemHandle, win: window, kind: u32 } },
  ({ multimem, u32 }, { handle, win, kind }) => {
    const p = multimem.pointer(win, u32, 0, handle);
    if (kind === 0) multimem.store(p, 1);
    else if (kind === 1) multimem.reduce(p, 1);
    else multimem.store(multimem.pointer(win, u32, 4, handle), multimem.loadReduce(p));
  },
);

export const outsideTeam: Case<'multimem/outside-team'> = defineCase({
  id: 'multimem/outside-team',
  mirrors: 'a multicast address of a team that the caller is not in',
  requires: { multimem: true, checks: ['misuse'] },
  ranks: [4],
  kernels: [through],
  run: async ({ run, shape: { lsaSize } }) => {
    const handles = new Map<number, { readonly mcBasePtr: number }>();
    await run(async (comm) => {
      const half = teamInnerFactor(comm.teamLsa(), lsaSize / 2);
      const dev = await comm.createDevComm({ teamRequirementsList: [{ team: half, multimem: true }] });
      const [own] = dev.multimemHandles;
      if (own === undefined) throw new Error('The program required one handle.');
      handles.set(comm.rank, own);
      const win = await comm.allocWindow('u32', 4);
      await meet(comm);
      const other = handles.get((comm.rank + lsaSize / 2) % lsaSize);
      if (other === undefined) throw new Error('The other half has no handle.');
      expectThat(other.mcBasePtr !== own.mcBasePtr, 'Two teams have one multicast address.');
      for (const handle of [own, other, own]) {
        for (const kind of [0, 1, 2]) {
          let got = 'no error';
          try {
            await comm.launch(through, { grid: 1, block: 1 }, { handle, win, kind });
            await comm.synchronize();
          } catch (thrown) {
            got = isNcclError(thrown) ? thrown.code : String(thrown);
          }
          const expected = handle === other ? 'NCCLTS_MISUSE' : 'no error';
          expectThat(got === expected, `Kind ${kind} on rank ${comm.rank}: expected ${expected}, got ${got}.`);
        }
      }
      await meet(comm);
    });
  },
});
