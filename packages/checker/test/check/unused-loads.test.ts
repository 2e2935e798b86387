import { check, explore } from '@nccl-ts/checker';
import { devComm, window } from '@nccl-ts/devcomm';
import type { CheckReport } from '@nccl-ts/findings';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';
import { hosts } from './every-engine.ts';

const params = { comm: devComm, inbox: window, out: window, users: u32 };

/**
 * Both threads of rank 1 load a word that rank 0 stores. The first `users` threads do something
 * with the value: store it, change another word by it, or decide by it.
 */
const loads = (USE: 'store' | 'sum' | 'branch', ORDER: 'plain' | 'relaxed') =>
  kernel(
    { name: `loads_${USE}_${ORDER}`, use: { lsa, USE, ORDER }, params },
    ({ lsa, USE, ORDER, threadIdx, u32 }, { comm, inbox, out, users }) => {
      const word = lsa.pointer(inbox, u32, 0, 0);
      if (comm.lsaRank === 0) {
        if (threadIdx.x === 0) word.store(0, 7);
      } else {
        const got = ORDER === 'plain' ? word.load(0) : word.load(0, 'relaxed');
        const near = lsa.localPointer(out, u32, 0);
        if (USE === 'branch' && got === 3) near.store(1, 1);
        if (threadIdx.x < users && USE === 'store') near.store(threadIdx.x, got * 2 + 1);
        if (threadIdx.x < users && USE === 'sum') near.atomicAdd(8, got, 'relaxed', 'system');
      }
    },
  );

async function reportsOf(of: ReturnType<typeof loads>, users: number): Promise<readonly CheckReport[]> {
  const program = hosts(async (comm) => {
    const inbox = await comm.allocWindow('u32', 16);
    const out = await comm.allocWindow('u32', 16);
    const dev = await comm.createDevComm({});
    await comm.launch(of, { grid: 1, block: 2 }, { comm: dev, inbox, out, users });
    await comm.synchronize();
  });
  const { report } = await explore({ ranks: 2, mode: 'check' }, program, { runs: 10_000 });
  const reports = report === undefined ? [] : [report];
  for (const strategy of ['auto', 'late'] as const) reports.push(await check({ ranks: 2, strategy }, program));
  return reports;
}

describe('a load that races with a store', () => {
  it.each(['store', 'sum'] as const)('matters only if its value leaves the thread (%s)', async (use) => {
    for (const { verdict, findings } of await reportsOf(loads(use, 'plain'), 0))
      expect([verdict, findings.filter(({ kind }) => kind === 'race')]).toEqual(['clean', []]);
    for (const report of await reportsOf(loads(use, 'plain'), 1)) expect(report.verdict).toBe('race');
  });

  it('matters if it decides a branch', async () => {
    for (const report of await reportsOf(loads('branch', 'plain'), 0)) expect(report.verdict).toBe('race');
  });

  it('matters if it has an order, because later accesses may rely on it', async () => {
    for (const report of await reportsOf(loads('store', 'relaxed'), 0)) expect(report.verdict).toBe('race');
  });
});
