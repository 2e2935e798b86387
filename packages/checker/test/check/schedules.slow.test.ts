import { check } from '@nccl-ts/checker';
import type { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { u32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { right, wrong } from './support/schedules.ts';

describe('strategies', () => {
  it('exhaustive explores all executions', async () => {
    const clean = await check({ ranks: 2, strategy: 'exhaustive' }, async (backend) => runSmall(backend, right));
    expect(clean).toMatchObject({ verdict: 'clean', proves: { kind: 'all schedules' } });
    const racy = await check({ ranks: 2, strategy: 'exhaustive' }, async (backend) => runSmall(backend, wrong));
    expect(racy.verdict).toBe('race');
  });
});

async function runSmall(backend: ReturnType<typeof sim>, of: typeof right): Promise<void> {
  await using world = await World.open({ backend });
  await world.run(async (comm) => {
    const win = await comm.allocWindow(u32, 8);
    const out = await comm.allocWindow(u32, 1);
    const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
    await comm.launch(of, { grid: 1, block: 2 }, { comm: dev, win, out });
    await comm.synchronize();
  });
}
