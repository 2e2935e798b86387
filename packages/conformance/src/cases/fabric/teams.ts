import { cft } from '@nccl-ts/cft';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { fabricRequires } from './words.ts';

const teams = kernel(
  { name: 'fabricTeams', use: { cft, lsa }, params: { comm: devComm, out: window } },
  ({ cft, lsa, i32 }, { comm, out }) => {
    const to = lsa.localPointer(out, i32, 0);
    const flat = cft.team(comm);
    const hier = cft.team(comm, 'hierLsa');
    const multimem = cft.teamMultimem(comm);
    const across = cft.team(comm, 'hierMultimem');
    to.store(0, flat.nRanks);
    to.store(1, flat.rank);
    to.store(2, flat.stride);
    to.store(3, hier.nRanks);
    to.store(4, hier.rank);
    to.store(5, hier.stride);
    to.store(6, multimem.rank);
    to.store(7, across.nRanks * across.stride);
  },
);

export const fabricTeams: Case<'fabric/teams'> = defineCase({
  id: 'fabric/teams',
  mirrors: 'ncclTeamCft in its three modes, and ncclTeamCftMultimem',
  requires: { ...fabricRequires, multimem: true },
  ranks: [4],
  lsaSizes: [2, 4],
  kernels: [teams],
  run: async ({ run, shape: { ranks, lsaSize } }) => {
    await run(async (comm) => {
      const out = await comm.allocWindow('i32', 8);
      const dev = await comm.createDevComm({ cftCaps: 'cftMultimem' });
      await comm.launch(teams, { grid: 1, block: 1 }, { comm: dev, out });
      const found = await out.read();
      const [own, domain] = [comm.rank % lsaSize, Math.floor(comm.rank / lsaSize)];
      const expected = [ranks, comm.rank, 1, ranks / lsaSize, domain, lsaSize, own, ranks];
      expectValues(`rank ${comm.rank}`, found, expected);
    });
  },
});
