import { check, type CheckOptions } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

type How = 'store' | 'first store' | 'turn' | 'reset' | 'add' | 'add one';

/** Rank 0 raises a flag in each launch, or only in the first. Rank 1 waits for it. */
const raises = (how: How) =>
  kernel(
    { name: 'raises', use: { lsa, HOW: how }, params: { comm: devComm, win: window, turn: u32 } },
    ({ lsa, HOW, coopCta, waitUntil, u32 }, { comm, win, turn }) => {
      const flag = lsa.pointer(win, u32, 0, 1);
      if (comm.lsaRank === 0) {
        if (HOW === 'store' || HOW === 'reset') flag.store(0, 1, 'release', 'system');
        if (HOW === 'first store' && turn === 1) flag.store(0, 1, 'release', 'system');
        if (HOW === 'turn') flag.store(0, turn, 'release', 'system');
        if (HOW === 'add' || HOW === 'add one') flag.atomicAdd(0, 1, 'acq_rel', 'system');
      } else {
        const least = HOW === 'turn' || HOW === 'add' ? turn : 1;
        waitUntil(() => flag.load(0, 'acquire', 'system') >= least);
      }
      if (HOW === 'reset') {
        const bar = lsa.barrierSession(coopCta(), comm, 0);
        bar.sync(coopCta(), 'acq_rel');
        if (comm.lsaRank === 1) flag.store(0, 0, 'relaxed', 'system');
        bar.sync(coopCta(), 'acq_rel');
      }
    },
  );

function reportOf(how: How, launches: number, options: Pick<CheckOptions, 'strategy' | 'seed' | 'bound'>) {
  const code = raises(how);
  return check({ ranks: 2, ...options }, async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      await win.write(new Uint32Array(4));
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      for (let turn = 1; turn <= launches; turn++)
        await comm.launch(code, { grid: 1, block: 1 }, { comm: dev, win, turn });
      await comm.synchronize();
    });
  });
}

describe.each([
  { name: 'by default', how: {} },
  ...[1, 2, 3, 4].map((seed) => ({ name: `late, seed ${seed}`, how: { strategy: 'late', seed } as const })),
  ...[1, 2, 3, 4].map((seed) => ({ name: `random, seed ${seed}`, how: { strategy: 'random', seed } as const })),
])('$name', ({ how }) => {
  it.each((['store', 'first store', 'add one'] as const).filter((_, i) => (i === 0) !== inject('slow')))(
    'a flag that keeps the value of an earlier launch is a note, not an error: %s',
    async (flag) => {
      const { findings, verdict } = await reportOf(flag, 3, how);
      expect(findings.map(({ kind, severity }) => [kind, severity])).toEqual([['leftover', 'note']]);
      expect(findings[0]?.message).toContain('an earlier launch of this kernel already waited for');
      expect(findings[0]?.labels.map(({ rank }) => rank)).toEqual([1, 0]);
      expect(verdict).toBe('clean');
    },
  );

  it.each((['turn', 'reset', 'add'] as const).filter((_, i) => (i === 0) !== inject('slow')))(
    'a flag that changes with each launch gives no note, even if the peer is ahead: %s',
    async (flag) => {
      const { findings } = await reportOf(flag, 3, how);
      expect(findings).toEqual([]);
    },
  );

  it('a single launch gives no note, because there is no earlier one', async () => {
    const { findings } = await reportOf('store', 1, how);
    expect(findings).toEqual([]);
  });
});
