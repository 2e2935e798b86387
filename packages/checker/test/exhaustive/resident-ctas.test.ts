import { check, explore } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const params = { win: window };
const use = { lsa };

const waits = kernel({ name: 'waits', use, params }, ({ lsa, u32, waitUntil }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  waitUntil(() => words.load(0, 'acquire', 'system') === 1);
});

const signals = kernel({ name: 'signals', use, params }, ({ lsa, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).store(0, 1, 'release', 'system');
});

/** A kernel that waits for a later kernel on another stream. */
async function waitsAndSignals(backend: SimBackend): Promise<void> {
  await using world = await World.open({ backend });
  await world.run(async (comm) => {
    const win = await comm.allocWindow('u32', 4);
    const stream = await comm.createStream();
    await comm.launch(waits, { grid: 1, block: 1 }, { win });
    await comm.launch(signals, { grid: 1, block: 1, stream }, { win });
    await comm.synchronize();
    await comm.synchronize(stream);
  });
}

describe('two streams on a device', () => {
  it('hang if the device has room for the CTA of only one', async () => {
    expect((await check({ ranks: 1, residentCtas: 1 }, waitsAndSignals)).verdict).toBe('deadlock');
  });

  it('are not explored completely if the device has room for the CTA of only one', async () => {
    expect((await explore({ ranks: 1, residentCtas: 1, mode: 'check' }, waitsAndSignals, { runs: 100 })).complete).toBe(
      false,
    );
  });

  it('are explored completely if the device has room for both', async () => {
    expect((await explore({ ranks: 1, residentCtas: 2, mode: 'check' }, waitsAndSignals, { runs: 100 })).complete).toBe(
      true,
    );
  });
});
