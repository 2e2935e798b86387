import { window } from '@nccl-ts/devcomm';
import { explore } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const params = { win: window };
const use = { lsa };

/** In each, one order of the fences orders two accesses of word 2, and the other order does not. */
const accesses = kernel({ name: 'accesses', use, params }, ({ lsa, u32, blockIdx }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  if (blockIdx.x === 1) {
    words.store(0, 2, 'seq_cst', 'system');
    words.store(2, 3);
  } else {
    words.store(2, 1, 'relaxed', 'system');
    words.store(3, words.load(1, 'seq_cst', 'system'));
  }
});
const stores = kernel({ name: 'stores', use, params }, ({ lsa, u32, blockIdx, fence }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  if (blockIdx.x === 1) {
    fence('seq_cst', 'system');
    words.store(2, 3);
  } else {
    words.store(2, 1);
    fence('seq_cst', 'system');
  }
});
const load = kernel({ name: 'load', use, params }, ({ lsa, u32, blockIdx, fence }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  if (blockIdx.x === 1) {
    fence('seq_cst', 'system');
    words.store(4, words.load(2));
  } else {
    words.store(2, 1);
    fence('seq_cst', 'system');
  }
});

describe('a kernel whose accesses are separated in only one order of the sequential fences', () => {
  it.each([
    ['sequential accesses', accesses],
    ['fences beside stores', stores],
    ['fences beside a load', load],
  ] as const)('races, even if a host waits for it first: %s', async (_, one) => {
    const { complete, report } = await explore(
      { ranks: 1, mode: 'check' },
      async (backend) => {
        const world = await World.open({ backend });
        try {
          await world.run(async (comm) => {
            const win = await comm.allocWindow('u32', 8);
            await comm.launch(one, { grid: 2, block: 1 }, { win });
            await comm.synchronize();
          });
        } finally {
          await world.close();
        }
      },
      { runs: 200 },
    );
    expect({ complete, verdict: report?.verdict }).toEqual({ complete: true, verdict: 'race' });
  });
});
