import { expect, test } from 'vitest';
import { machines } from '@nccl-ts/cost-model';
import { fenceKinds, fenceOfKind } from '../../src/kernels/sync-kernels.ts';
import { launchTime } from './launch-time.ts';

/** Nanoseconds of a fence of each scope, alone or behind a store to the peer. */
async function fences(target: number): Promise<Readonly<Record<string, number>>> {
  const times: Record<string, number> = {};
  for (const [kind, { order, scope }] of fenceKinds.entries()) {
    if (order !== 'acq_rel') continue;
    const timeOf = async (iters: number): Promise<number> =>
      launchTime(machines['h200-nvlink4'], async (comm, handles) =>
        comm.launch(fenceOfKind, { grid: 1, block: 1 }, { ...handles, iters, kind, target, meets: 0, active: 1 }),
      );
    times[scope] = ((await timeOf(12)) - (await timeOf(4))) / 8;
  }
  return times;
}

test('a fence costs by its scope, and only one of the system waits for a peer', async () => {
  const [alone, behind] = [await fences(0xffff), await fences(1)];
  const [none = NaN, device = NaN, system = NaN] = [alone['block'], alone['device'], alone['system']];
  expect(device - none).toBeCloseTo(124.2, 0);
  expect(system - none).toBeCloseTo(663.6, 0);
  expect(behind['device'] ?? NaN).toBeLessThan(450);
  expect(behind['system'] ?? NaN).toBeGreaterThan(900);
});
