import { devComm, lsaBarrierHandle, team, window } from '@nccl-ts/devcomm';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { kernelPair, placeBarriers } from './place-barriers.ts';

const patient = kernelPair((own) =>
  kernel(
    {
      name: `timedMeetings${own}`,
      use: { lsa, own },
      params: { comm: devComm, team, handle: lsaBarrierHandle, win: window, cycles: u64 },
    },
    ({ lsa, own, coopCta, threadIdx, u32 }, { comm, team, handle, win, cycles }) => {
      const o = lsa.localPointer(win, u32, 0);
      const bar = lsa.barrierSession(coopCta(), comm, 0, own ? { team, handle } : {});
      o.store(threadIdx.x, bar.sync(coopCta(), 'acq_rel', cycles));
      bar.arrive(coopCta(), 'release');
      o.store(32 + threadIdx.x, bar.wait(coopCta(), 'acquire', cycles));
      bar.sync(coopCta(), 'acq_rel');
    },
  ),
);

const inTimeResults: readonly number[] = count(64).map(() => 0);

export const inTime: Case<'barriers/timeout/in-time'> = defineCase({
  id: 'barriers/timeout/in-time',
  mirrors: 'ncclLsaBarrierSession::wait, ::sync with timeoutCycles',
  requires: { scalars: ['u64'], divergentWaits: true },
  ranks: [1, 2, 4],
  kernels: [patient.lsa, patient.inner],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const barriers = await placeBarriers(comm, choice, 1);
      const win = await comm.allocWindow('u32', 64);
      await win.write(new Uint32Array(64).fill(99));
      for (let launch = 0; launch < 2; launch++) {
        await comm.launch(patient[choice], { grid: 1, block: 32 }, { ...barriers, win, cycles: 2n ** 40n });
        expectValues(`rank ${comm.rank}`, await win.read(), inTimeResults);
        await meet(comm);
      }
    });
  },
});

const impatient = kernel(
  { name: 'timedOut', use: { lsa }, params: { comm: devComm, win: window, cycles: u64, patience: u32 } },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win, cycles, patience }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    let result = u32(0);
    if (patience === 0) result = bar.sync(coopCta(), 'acq_rel', cycles);
    else {
      bar.arrive(coopCta(), 'release');
      result = bar.wait(coopCta(), 'acquire', cycles);
    }
    lsa.localPointer(win, u32, 0).store(threadIdx.x, result);
  },
);

export const rankMissing: Case<'barriers/timeout/rank-missing'> = defineCase({
  id: 'barriers/timeout/rank-missing',
  results: 'order',
  mirrors: 'ncclTimeout',
  requires: { scalars: ['u64'], divergentWaits: true },
  ranks: [2, 4],
  kernels: [impatient],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      for (const patience of [0, 1]) {
        // After a time-out the barrier is out of step: each try has its own.
        const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
        const win = await comm.allocWindow('u32', 32);
        const isMissing = comm.rank === ranks - 1;
        if (!isMissing)
          await comm.launch(impatient, { grid: 1, block: 32 }, { comm: dev, win, cycles: 2000, patience });
        const after = await win.read();
        // One thread watches each peer: those that watch the missing one time out.
        expectValues(`whether somebody timed out on rank ${comm.rank}`, [after.includes(8)], [!isMissing]);
        expectValues(
          'other results',
          after.filter((code) => code !== 8 && code !== 0),
          [],
        );
        await meet(comm);
      }
    });
  },
});
