import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { expect, test } from 'vitest';

/**
 * Rank 1 sends a word and sets a flag, and rank 2 sets a hundred. Rank 0 waits for all flags, one
 * by one, before it reads.
 */
function manyFlags(fenced: boolean) {
  return kernel(
    {
      name: 'manyFlags',
      use: { FENCED: fenced, FLAGS: 100 },
      params: { comm: devComm, flags: symPtr(u32), data: symPtr(u32) },
    },
    ({ FENCED, FLAGS, coopCta, fence }, { comm, flags, data }) => {
      if (comm.lsaRank === 1) {
        data.lsaPtr(0)[0] = 7;
        fence('release', 'system');
        flags.lsaPtr(0).store(0, 1, 'relaxed', 'system');
      } else if (comm.lsaRank === 2) {
        for (let i = 1; i <= FLAGS; i++) flags.lsaPtr(0).store(i, 1, 'relaxed', 'system');
      } else {
        for (let i = 0; i <= FLAGS; i++) {
          coopCta().waitAll(1, (_one) => flags.localPtr().load(i, 'relaxed', 'system') !== 0);
        }
        if (FENCED) fence('acquire', 'system');
        data.localPtr()[1] = data.localPtr().load(0);
      }
    },
  );
}

test.each([
  [true, 'clean'],
  [false, 'race'],
])('a fence acquires all earlier relaxed reads: fence %s, %s', async (fenced, verdict) => {
  const backend = sim({ ranks: 3, mode: 'check', seed: 1 });
  {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const [flags, data] = [await comm.allocWindow(u32, 101), await comm.allocWindow(u32, 2)];
      const args = { comm: await comm.createDevComm(), flags: flags.symPtr(), data: data.symPtr() };
      await comm.launch(manyFlags(fenced), { grid: 1, block: 1 }, args);
      await comm.synchronize();
    });
  }
  expect(backend.report().verdict).toBe(verdict);
});
