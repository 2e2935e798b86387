import { getLsaMultimemDevicePointer, getMultimemDevicePointer } from '@nccl-ts/communicator';
import { devComm, multimemHandle, symPtr, window } from '@nccl-ts/devcomm';
import { kernel, ptr, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';
import { createTeam, type Team } from '@nccl-ts/topology';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectSame, expectThat, expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';

const requires = { multimem: true } as const;
/** A bit for each rank, so that a sum shows which ranks contributed. */
const bit = (rank: number): number => 2 ** rank;
const bits = (ranks: readonly number[]): number => ranks.reduce((sum, rank) => sum + bit(rank), 0);

const everyWay = kernel(
  {
    name: 'everyMulticastPointer',
    use: { lsa, multimem },
    params: { comm: devComm, handle: multimemHandle, win: window, there: symPtr(u32), given: ptr(u32), out: window },
  },
  ({ lsa, multimem, u32 }, { comm, handle, win, there, given, out }) => {
    const o = lsa.localPointer(out, u32, 0);
    o.store(0, multimem.loadReduce(multimem.lsaPointer(win, u32, 8, comm)));
    o.store(1, multimem.loadReduce(multimem.pointer(win, u32, 8, handle)));
    o.store(2, multimem.loadReduce(multimem.pointer(win, u32, 0, comm.lsaMultimem).offset(2)));
    o.store(3, multimem.loadReduce(there.lsaMultimemPtr(comm)));
    o.store(4, multimem.loadReduce(there.multimemPtr(handle)));
    o.store(5, multimem.loadReduce(given));
  },
);

export const pointers: Case<'multimem/pointers'> = defineCase({
  id: 'multimem/pointers',
  mirrors: 'ncclGetLsaMultimemPointer, ncclGetMultimemPointer, ncclSymPtr, ncclGetLsaMultimemDevicePointer',
  requires,
  ranks: [1, 2, 4],
  lsaSizes: [1, 2, 4],
  kernels: [everyWay],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const dev = await comm.createDevComm({ lsaMultimem: true });
      const [win, out] = [await comm.allocWindow('u32', 16), await comm.allocWindow('u32', 6)];
      await win.write([0, 0, bit(comm.rank)]);
      const given = getLsaMultimemDevicePointer(win, 8);
      const same = getMultimemDevicePointer(win, 8, dev.lsaMultimem);
      if (given === null) throw new Error('The backend supports multimem, but the multicast address is null.');
      expectSame('the address over the LSA team', same?.address, given.address);
      await meet(comm);
      const there = { window: win, offset: 8 };
      await comm.launch(
        everyWay,
        { grid: 1, block: 1 },
        { comm: dev, handle: dev.lsaMultimem, win, there, given, out },
      );
      const near = bits(count(lsaSize, comm.rank - (comm.rank % lsaSize)));
      expectValues('sums', await out.read(), [near, near, near, near, near, near]);
    });
  },
});

const ofTeams = kernel(
  {
    name: 'sumsOverTeams',
    use: { lsa, multimem },
    params: { win: window, out: window, neighbours: multimemHandle, strided: multimemHandle },
  },
  ({ lsa, multimem, u32 }, { win, out, neighbours, strided }) => {
    const o = lsa.localPointer(out, u32, 0);
    o.store(0, multimem.loadReduce(multimem.pointer(win, u32, 0, neighbours)));
    o.store(1, multimem.loadReduce(multimem.pointer(win, u32, 0, strided), 'or'));
    multimem.reduce(multimem.pointer(win, u32, 4, neighbours), 1);
    multimem.reduce(multimem.pointer(win, u32, 8, strided), 1);
  },
);

function members(comm: { readonly rank: number }, { nRanks, rank, stride }: Team): readonly number[] {
  return count(nRanks).map((i) => comm.rank + (i - rank) * stride);
}

export const teams: Case<'multimem/teams'> = defineCase({
  id: 'multimem/teams',
  mirrors: 'ncclTeamRequirements with multimem',
  requires,
  ranks: [4, 8],
  lsaSizes: [4, 8],
  kernels: [ofTeams],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const { rank } = comm.teamLsa();
      const neighbours = createTeam(2, rank % 2, 1);
      const strided = createTeam(lsaSize / 2, Math.floor(rank / 2), 2);
      const dev = await comm.createDevComm({
        teamRequirementsList: [
          { team: neighbours, multimem: true },
          { team: neighbours },
          { team: strided, multimem: true },
        ],
      });
      const [near, none, far] = dev.multimemHandles;
      if (near === undefined || far === undefined) throw new Error('The program required two handles.');
      expectSame('the handle of a team without multimem', none?.mcBasePtr, 0);
      expectSame('the handle of the LSA team, which the program did not require', dev.lsaMultimem.mcBasePtr, 0);
      expectThat(near.mcBasePtr !== 0 && far.mcBasePtr !== 0, 'A required handle is null.');
      const [win, out] = [await comm.allocWindow('u32', 4), await comm.allocWindow('u32', 2)];
      await win.write([bit(comm.rank)]);
      await meet(comm);
      await comm.launch(ofTeams, { grid: 1, block: 1 }, { win, out, neighbours: near, strided: far });
      await meet(comm);
      const sums = [neighbours, strided].map((team) => bits(members(comm, team)));
      expectValues(`sums of rank ${comm.rank}`, await out.read(), sums);
      expectValues('updates', (await win.read()).subarray(1, 3), [2, lsaSize / 2]);
    });
  },
});

export const nullPointers: Case<'multimem/null-pointers'> = defineCase({
  id: 'multimem/null-pointers',
  mirrors: 'ncclGetMultimemDevicePointer: success and a null pointer',
  requires,
  ranks: [2],
  kernels: [everyWay],
  run: async ({ run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', 16);
      const dev = await comm.createDevComm();
      expectSame('lsaMultimem of a communicator that does not require it', dev.lsaMultimem.mcBasePtr, 0);
      expectSame('the address of a null handle', getMultimemDevicePointer(win, 0, dev.lsaMultimem), null);
      expectThat(getLsaMultimemDevicePointer(win, 0) !== null, 'The LSA team always has multicast addresses.');
      const requested = await comm.createDevComm({ lsaMultimem: true });
      expectThat(requested.lsaMultimem.mcBasePtr !== 0, 'lsaMultimem is required, but null.');
    });
  },
});
