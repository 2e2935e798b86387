import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';
import { hosts, reportsOf } from './every-engine.ts';

/** Rank 0 loads a number, and tells rank 1, which tells rank 2, which overwrites the number. */
const passes = kernel(
  { name: 'passes', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, u32, waitUntil }, { comm, win }) => {
    const own = lsa.localPointer(win, u32, 0);
    if (comm.rank === 0) own.store(2, own.load(0));
    else waitUntil(() => own.load(1, 'relaxed', 'system') === 1);
    if (comm.rank === 2) lsa.pointer(win, u32, 0, 0).store(0, 7);
    else lsa.pointer(win, u32, 0, u32(comm.rank) + 1).store(1, 1, 'relaxed', 'system');
  },
);

it('a load that relaxed flags of two ranks say is over is model to every engine', async () => {
  const program = hosts(async (comm) => {
    const win = await comm.allocWindow('u32', 3);
    const dev = await comm.createDevComm();
    await comm.launch(passes, { grid: 1, block: 1 }, { comm: dev, win });
    await comm.synchronize();
  });
  for (const [engine, report] of await reportsOf({ ranks: 3 }, program)) {
    const races = report.findings.filter(({ kind }) => kind === 'race').map(({ severity }) => severity);
    expect({ engine, races }).toEqual({ engine, races: ['model'] });
  }
});
