import { cft } from '@nccl-ts/cft';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';

const words = 32;

const pass = kernel(
  { name: 'passByFences', use: { cft, lsa }, params: { comm: devComm, data: window, flag: window, out: window } },
  ({ cft, lsa, coopCta, coopThread, waitUntil, threadIdx, u32 }, { comm, data, flag, out }) => {
    const next = (comm.lsaRank + 1) % comm.lsaSize;
    const t = threadIdx.x;
    lsa.pointer(data, u32, 0, next).store(t, u32(comm.rank) * 100 + t);
    cft.memFence(coopCta(), 'release', 'generic', 'generic', 'system');
    if (t === 0) lsa.pointer(flag, u32, 0, next).store(0, 1, 'relaxed');
    waitUntil(() => lsa.localPointer(flag, u32, 0).load(0, 'relaxed') === 1);
    cft.memFence(coopThread(), 'acquire', 'generic', 'generic', 'system');
    lsa.localPointer(out, u32, 0).store(t, lsa.localPointer(data, u32, 0).load(t));
  },
);

export const genericFences: Case<'fabric/fences/generic'> = defineCase({
  id: 'fabric/fences/generic',
  mirrors: 'ncclMemFence from the generic proxy to the generic proxy: a group releases, each thread acquires',
  ranks: [1, 2, 4],
  kernels: [pass],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const data = await comm.allocWindow('u32', words);
      const flag = await comm.allocWindow('u32', 1);
      const out = await comm.allocWindow('u32', words);
      const dev = await comm.createDevComm();
      await comm.launch(pass, { grid: 1, block: words }, { comm: dev, data, flag, out });
      const from = comm.rank - comm.lsaRank + ((comm.lsaRank + lsaSize - 1) % lsaSize);
      expectValues(
        `rank ${comm.rank}`,
        await out.read(),
        count(words).map((i) => from * 100 + i),
      );
      await meet(comm);
    });
  },
});
