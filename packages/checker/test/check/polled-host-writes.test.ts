import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';
import { hosts, reportsOf } from './every-engine.ts';

/** Rank 0 waits for a word that the host of rank 1 writes, or for one that it writes beside it. */
const waits = kernel(
  { name: 'waits', use: { lsa }, params: { comm: devComm, inbox: window, out: window } },
  ({ lsa, waitUntil, u32 }, { comm, inbox, out }) => {
    const far = lsa.pointer(inbox, u32, 0, 1);
    if (comm.lsaRank === 0) {
      waitUntil(() => far.load(0, 'relaxed', 'system') === 1);
      lsa.localPointer(out, u32, 0).store(0, 1);
    }
  },
);

/** Rank 0 stores a value to a word of rank 1. */
const stores = kernel(
  { name: 'stores', use: { lsa }, params: { comm: devComm, inbox: window, value: u32 } },
  ({ lsa, u32 }, { comm, inbox, value }) => {
    if (comm.lsaRank === 0) lsa.pointer(inbox, u32, 0, 1).store(0, value);
  },
);

it.each([
  [1, 'note'],
  [2, 'error'],
])('a kernel that stores %i while a host writes 1 gets a %s from every engine', async (value, severity) => {
  const reports = await reportsOf(
    { ranks: 2 },
    hosts(async (comm) => {
      const inbox = await comm.allocWindow('u32', 4);
      const dev = await comm.createDevComm({});
      await comm.launch(stores, { grid: 1, block: 1 }, { comm: dev, inbox, value });
      if (comm.rank === 1) await inbox.write(Uint32Array.of(1));
      await comm.synchronize();
    }),
  );
  for (const [name, { findings }] of reports) {
    const races = findings.filter(({ kind }) => kind === 'race').map((one) => one.severity);
    expect({ name, races }).toEqual({ name, races: [severity] });
  }
});

it('a kernel that polls a word while a host writes it gets a warning from every engine', async () => {
  const reports = await reportsOf(
    { ranks: 2 },
    hosts(async (comm) => {
      const [inbox, out] = [await comm.allocWindow('u32', 4), await comm.allocWindow('u32', 4)];
      const dev = await comm.createDevComm({});
      await comm.launch(waits, { grid: 1, block: 1 }, { comm: dev, inbox, out });
      if (comm.rank === 1) await inbox.write(Uint32Array.of(1));
      await comm.synchronize();
    }),
  );
  for (const [, { verdict, findings }] of reports) {
    expect(verdict).toBe('clean');
    expect(findings.map(({ kind, severity }) => [kind, severity])).toEqual([['race', 'model']]);
  }
});
