import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';
import { hosts, verdictsOf } from './every-engine.ts';

const params = { comm: devComm, data: window, flags: window };

/**
 * Ranks 1 and 2 store a number and a flag of 2 bytes at rank 0, which waits for the first flag, or
 * for both. They are in one word.
 */
const waits = (name: string, forBoth: boolean) =>
  kernel({ name, use: { lsa, BOTH: forBoth }, params }, ({ lsa, BOTH, waitUntil, u16, u32 }, { comm, data, flags }) => {
    const numbers = lsa.pointer(data, u32, 0, 0);
    const own = lsa.pointer(flags, u16, 0, 0);
    if (comm.rank > 0) {
      numbers.store(comm.rank, 7);
      own.store(comm.rank - 1, 1, 'release', 'system');
    } else {
      waitUntil(() => own.load(0, 'acquire', 'system') === 1);
      if (BOTH) waitUntil(() => own.load(1, 'acquire', 'system') === 1);
      numbers.store(0, numbers.load(1) + numbers.load(2));
    }
  });
const waitsForBoth = waits('waits_for_both', true);
const waitsForOne = waits('waits_for_one', false);

const program = (one: typeof waitsForBoth): ReturnType<typeof hosts> =>
  hosts(async (comm) => {
    const [data, flags] = [await comm.allocWindow('u32', 4), await comm.allocWindow('u32', 4)];
    await comm.launch(one, { grid: 1, block: 1 }, { comm: await comm.createDevComm(), data, flags });
    await comm.synchronize();
  });

describe('flags that are parts of one word', () => {
  it('each order what was stored before them', async () => {
    expect(await verdictsOf({ ranks: 3 }, program(waitsForBoth))).toEqual(['clean']);
  });

  it('do not order what was stored before the other one', async () => {
    expect(await verdictsOf({ ranks: 3 }, program(waitsForOne))).toEqual(['race']);
  });
});
