import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';
import { hosts, reportsOf } from './every-engine.ts';

/**
 * Rank 1 puts two words into the inbox of rank 0, which waits for the second by a load with an
 * order, or by a plain one. Then it clears that word, and `reads` the other one.
 */
const polled = (SHAPE: 'clears' | 'reads' | 'plain') =>
  kernel(
    {
      name: `polled_${SHAPE}`,
      use: { lsa, gin, teamWorld, SHAPE },
      params: { comm: devComm, inbox: window, out: window },
    },
    ({ lsa, gin, teamWorld, SHAPE, waitUntil, u32 }, { comm, inbox, out }) => {
      const near = lsa.localPointer(inbox, u32, 0);
      if (comm.rank === 1) {
        near.store(0, 1);
        near.store(1, 1);
        gin.context(comm, 0).put(teamWorld(comm), 0, inbox, 8, inbox, 0, 8);
      } else {
        waitUntil(() => (SHAPE === 'plain' ? near.load(3) : near.load(3, 'relaxed', 'system')) === 1);
        near.store(3, 0);
        if (SHAPE === 'reads') lsa.localPointer(out, u32, 0).store(0, near.load(2));
      }
    },
  );

async function severitiesOf(shape: Parameters<typeof polled>[0]): Promise<readonly (readonly string[])[]> {
  const of = polled(shape);
  const reports = await reportsOf(
    { ranks: 2, lsaSize: 1 },
    hosts(async (comm) => {
      const [inbox, out] = [await comm.allocWindow('u32', 4), await comm.allocWindow('u32', 4)];
      const dev = await comm.createDevComm({ ginConnectionType: 'full', ginContextCount: 1 });
      await comm.launch(of, { grid: 1, block: 1 }, { comm: dev, inbox, out });
      await comm.synchronize();
    }),
  );
  return [...reports.values()].map(({ findings }) =>
    findings.filter(({ kind }) => kind === 'race').map(({ severity }) => severity),
  );
}

it('a word that the network writes may be polled, and then cleared, on present network cards', async () => {
  for (const severities of await severitiesOf('clears')) {
    expect(severities).toContain('model');
    expect(severities).not.toContain('error');
  }
});

it('a polled word does not show that another word of its put has arrived', async () => {
  for (const severities of await severitiesOf('reads')) expect(severities).toContain('error');
});

it('a plain load may not poll a word that the network writes', async () => {
  for (const severities of await severitiesOf('plain')) expect(severities).toContain('error');
});
