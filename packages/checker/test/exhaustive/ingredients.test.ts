import { explore } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { renderReport } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';

type How = 'nothing' | 'no release' | 'no acquire' | 'narrow' | 'plain flag' | 'other reader' | 'other writer';

/** Rank 0 passes a word to rank 1, but one synchronization is missing. */
const handsOver = (how: How) =>
  kernel(
    { name: 'handsOver', use: { lsa, how }, params: { comm: devComm, words: window } },
    ({ lsa, how, waitUntil, threadIdx, coopCta, u32 }, { comm, words }) => {
      const shared = lsa.pointer(words, u32, 0, 0);
      const flag = lsa.pointer(words, u32, 4, 0);
      const t = threadIdx.x;
      if (comm.lsaRank === 0) {
        if (t === (how === 'other writer' ? 1 : 0)) shared.store(0, 7);
        if (t === 0) {
          if (how === 'no release') flag.store(0, 1, 'relaxed');
          else if (how === 'narrow') flag.store(0, 1, 'release', 'device');
          else if (how === 'plain flag') flag.store(0, 1);
          else if (how !== 'nothing') flag.store(0, 1, 'release');
        }
      } else {
        if (t === 0 && how !== 'nothing') {
          if (how === 'no acquire') waitUntil(() => flag.load(0, 'relaxed') === 1);
          else waitUntil(() => flag.load(0, 'acquire') === 1);
        }
        if (how === 'other writer') coopCta().sync();
        if (t === (how === 'other reader' ? 1 : 0)) lsa.localPointer(words, u32, 8).store(0, shared.load(0));
      }
    },
  );

it.each<[How, string]>([
  ['nothing', 'synchronisation'],
  ['no release', 'release'],
  ['no acquire', 'acquire'],
  ['narrow', 'scope'],
  ['plain flag', 'strong'],
  ['other reader', 'coop-sync'],
  ['other writer', 'coop-sync'],
])('a race in the exhaustive engine names the missing synchronization: %s', async (how, kind) => {
  const { report } = await explore(
    { ranks: 2, mode: 'check' },
    async (backend) => {
      await using world = await World.open({ backend });
      await world.run(async (comm) => {
        const words = await comm.allocWindow('u32', 4);
        const dev = await comm.createDevComm({});
        await comm.launch(handsOver(how), { grid: 1, block: 2 }, { comm: dev, words });
        await comm.synchronize();
      });
    },
    { runs: 500 },
  );
  const race = report?.findings.find(
    (one) => one.kind === 'race' && one.labels.every(({ access }) => access === undefined),
  );
  expect(race?.missing[0]?.kind).toBe(kind);
  const text =
    report === undefined ? '' : renderReport(report).replaceAll(/(-->|:::) .*ingredients/g, '$1 ingredients');
  await expect(text).toMatchFileSnapshot(`snapshots/ingredient-${how.replaceAll(' ', '-')}.txt`);
});
