import { barrier } from '@nccl-ts/barrier';
import { devComm, window } from '@nccl-ts/devcomm';
import { gin, type GinFence } from '@nccl-ts/gin';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat, expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { ginRequires } from '../gin/connect.ts';
import { placeHybridBarriers } from './place-hybrid-barriers.ts';

type Tag = 'world' | 'lsa' | 'rail';

const timed = (TAG: Tag, FENCE: GinFence) =>
  kernel(
    {
      name: `hybridTimed_${TAG}_${FENCE}`,
      use: { barrier, gin, lsa, TAG, FENCE },
      params: { comm: devComm, win: window, cycles: u64, rounds: u32 },
    },
    ({ barrier, gin, lsa, TAG, FENCE, coopCta, threadIdx, u32 }, { comm, win, cycles, rounds }) => {
      const bar = barrier.session(coopCta(), gin.context(comm, 0), TAG, 0);
      const out = lsa.localPointer(win, u32, 0);
      for (let round = u32(0); round < rounds; round++) {
        out.store(round * 32 + threadIdx.x, bar.sync(coopCta(), 'acq_rel', FENCE, cycles));
      }
    },
  );

const kinds = [
  ['world', 'put', timed('world', 'put')],
  ['world', 'none', timed('world', 'none')],
  ['lsa', 'putGet', timed('lsa', 'putGet')],
  ['rail', 'get', timed('rail', 'get')],
] as const;

const requires = { ...ginRequires, divergentWaits: true } as const;
const kernels = kinds.map(([, , launch]) => launch);

export const inTime: Case<'hybrid-barriers/timeout/in-time'> = defineCase({
  id: 'hybrid-barriers/timeout/in-time',
  mirrors: 'ncclBarrierSession::sync with timeoutCycles',
  requires,
  ranks: [1, 4, 8],
  lsaSizes: [1, 2, 4],
  kernels,
  run: async ({ run }) => {
    await run(async (comm) => {
      const { comm: dev } = await placeHybridBarriers(comm, 1);
      const win = await comm.allocWindow('u32', 96);
      for (const [tag, fence, launch] of kinds) {
        await win.write(new Uint32Array(96).fill(99));
        await comm.launch(launch, { grid: 1, block: 32 }, { comm: dev, win, cycles: 2n ** 40n, rounds: 3 });
        const zeros = count(96).map(() => 0);
        expectValues(`${tag}, ${fence}, rank ${comm.rank}`, await win.read(), zeros);
        await meet(comm);
      }
    });
  },
});

export const rankMissing: Case<'hybrid-barriers/timeout/rank-missing'> = defineCase({
  id: 'hybrid-barriers/timeout/rank-missing',
  results: 'order',
  mirrors: 'ncclTimeout of a hybrid barrier',
  requires,
  ranks: [4, 8],
  lsaSizes: [1, 2, 4],
  kernels,
  run: async ({ run, shape: { ranks, lsaSize } }) => {
    await run(async (comm) => {
      for (const [tag, fence, launch] of kinds) {
        // After a time-out the barrier is out of step: each try has its own.
        const { comm: dev } = await placeHybridBarriers(comm, 1);
        const win = await comm.allocWindow('u32', 32);
        const missing = ranks - 1;
        if (comm.rank !== missing) {
          await comm.launch(launch, { grid: 1, block: 32 }, { comm: dev, win, cycles: 20_000n, rounds: 1 });
        }
        const after = await win.read();
        const isNear = Math.floor(comm.rank / lsaSize) === Math.floor(missing / lsaSize);
        const isOnRail = comm.rank % lsaSize === missing % lsaSize;
        const waits = {
          world: fence === 'put' || isNear || isOnRail,
          lsa: isNear,
          rail: isOnRail,
        }[tag];
        // Others may be late too: those that they wait for were.
        const gaveUp = after.includes(8);
        const mustNot = tag !== 'world' && !waits;
        const expected = comm.rank !== missing && waits;
        expectThat(
          expected ? gaveUp : !(mustNot && gaveUp),
          `${tag}, ${fence}, rank ${comm.rank}: results ${after.join(', ')}.`,
        );
        const others = after.filter((code) => code !== 8 && code !== 0);
        expectValues('other results', others, []);
        await meet(comm);
      }
    });
  },
});
