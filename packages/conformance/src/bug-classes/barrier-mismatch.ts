import { team } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

const byMode = (MIXED: boolean): BugKernel =>
  kernel({ name: `byMode_${MIXED}`, use: { lsa, MIXED }, params }, ({ lsa, MIXED, coopCta }, { comm }) => {
    if (MIXED && comm.lsaRank === 1) {
      const plain = lsa.barrierSession(coopCta(), comm, 0);
      plain.sync(coopCta(), 'acq_rel');
    } else {
      const byMulticast = lsa.barrierSession(coopCta(), comm, 0, { multimem: true });
      byMulticast.sync(coopCta(), 'acq_rel');
    }
  });

export const modeMismatch: BugClass = {
  id: 'L12',
  title: 'one rank arrives by multicast, another one by stores',
  programs: [
    bugProgram({
      name: 'L12/both-modes',
      requirements: { lsaBarrierCount: 1, lsaMultimem: true },
      launches: [{ kernel: byMode(true) }],
      expects: { kind: 'deadlock', lines: ['byMulticast.sync(', 'plain.sync('], ranks: [0, 1] },
    }),
    bugProgram({
      name: 'L12/one-mode',
      requirements: { lsaBarrierCount: 1, lsaMultimem: true },
      launches: [{ kernel: byMode(false) }],
      expects: 'clean',
    }),
  ],
};

const ofCtas = kernel({ name: 'barrierOfEachCta', use: { lsa }, params }, ({ lsa, coopCta, blockIdx }, { comm }) => {
  const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
  bar.sync(coopCta(), 'acq_rel');
});

const ofTeam = (ALONE: boolean): BugKernel =>
  kernel(
    { name: `barrierOfTeam_${ALONE}`, use: { lsa, Team: team, ALONE }, params },
    ({ lsa, Team, ALONE, coopCta }, { comm }) => {
      // With `ALONE`, rank 1 is a separate team.
      const isAlone = ALONE && comm.lsaRank === 1;
      const of = Team({ nRanks: isAlone ? 1 : 2, rank: isAlone ? 0 : comm.lsaRank, stride: 1 });
      const bar = lsa.barrierSession(coopCta(), comm, 0, { team: of });
      bar.sync(coopCta(), 'acq_rel');
    },
  );

export const participationMismatch: BugClass = {
  id: 'L13',
  title: 'ranks disagree about the members of a barrier',
  programs: [
    bugProgram({
      name: 'L13/grids-differ',
      requirements: { lsaBarrierCount: 2 },
      launches: [{ kernel: ofCtas, grid: (rank) => (rank === 0 ? 2 : 1) }],
      expects: { kind: 'deadlock', lines: ['bar.sync('], ranks: [0] },
    }),
    bugProgram({
      name: 'L13/grids-agree',
      requirements: { lsaBarrierCount: 2 },
      launches: [{ kernel: ofCtas, grid: 2 }],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L13/teams-differ',
      requirements: { lsaBarrierCount: 1 },
      launches: [{ kernel: ofTeam(true) }],
      expects: { kind: 'deadlock', lines: ['bar.sync('], ranks: [0] },
    }),
    bugProgram({
      name: 'L13/teams-agree',
      requirements: { lsaBarrierCount: 1 },
      launches: [{ kernel: ofTeam(false) }],
      expects: 'clean',
    }),
  ],
};
