import { devComm, lsaBarrierHandle, team, window } from '@nccl-ts/devcomm';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { kernelPair, createBarriers } from './create-barriers.ts';

/** Each CTA has its own barrier and results. */
const ctas = 2;
const block = 16;

const patient = kernelPair((own) =>
  kernel(
    {
      name: `timedMeetings${own}`,
      use: { lsa, own },
      params: { comm: devComm, team, handle: lsaBarrierHandle, win: window, cycles: u64 },
    },
    ({ lsa, own, coopCta, threadIdx, blockIdx, blockDim, u32 }, { comm, team, handle, win, cycles }) => {
      const o = lsa.localPointer(win, u32, 0).offset(blockIdx.x * 2 * blockDim.x);
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, own ? { team, handle } : {});
      o.store(threadIdx.x, bar.sync(coopCta(), 'acq_rel', cycles));
      bar.arrive(coopCta(), 'release');
      o.store(blockDim.x + threadIdx.x, bar.wait(coopCta(), 'acquire', cycles));
      bar.sync(coopCta(), 'acq_rel');
    },
  ),
);

const inTimeResults: readonly number[] = count(2 * ctas * block).map(() => 0);

export const inTime: Case<'barriers/timeout/in-time'> = defineCase({
  id: 'barriers/timeout/in-time',
  mirrors: 'ncclLsaBarrierSession::wait, ::sync with timeoutCycles',
  requires: { scalars: ['u64'], divergentWaits: true },
  ranks: [1, 2, 4],
  kernels: [patient.lsa, patient.inner],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const barriers = await createBarriers(comm, choice, ctas);
      const win = await comm.allocWindow('u32', inTimeResults.length);
      await win.write(new Uint32Array(inTimeResults.length).fill(99));
      for (let launch = 0; launch < 2; launch++) {
        await comm.launch(patient[choice], { grid: ctas, block }, { ...barriers, win, cycles: 2n ** 40n });
        expectValues(`rank ${comm.rank}`, await win.read(), inTimeResults);
        await meet(comm);
      }
    });
  },
});

const impatient = kernel(
  { name: 'timedOut', use: { lsa }, params: { comm: devComm, win: window, cycles: u64, patience: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, u32 }, { comm, win, cycles, patience }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    let result = u32(0);
    if (patience === 0) result = bar.sync(coopCta(), 'acq_rel', cycles);
    else {
      bar.arrive(coopCta(), 'release');
      result = bar.wait(coopCta(), 'acquire', cycles);
    }
    lsa.localPointer(win, u32, 0).store(blockIdx.x * blockDim.x + threadIdx.x, result);
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
        // After a time-out the barrier's epoch is undefined, so each attempt has its own barrier.
        const dev = await comm.createDevComm({ lsaBarrierCount: ctas });
        const win = await comm.allocWindow('u32', ctas * block);
        const isMissing = comm.rank === ranks - 1;
        if (!isMissing) await comm.launch(impatient, { grid: ctas, block }, { comm: dev, win, cycles: 2000, patience });
        const after = await win.read();
        // One thread waits for each peer. The threads that wait for the missing peer time out.
        for (const cta of count(ctas)) {
          const own = after.subarray(cta * block, (cta + 1) * block);
          const what = `time-outs on rank ${comm.rank}, CTA ${cta}`;
          expectValues(what, [own.includes(8)], [!isMissing]);
        }
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
