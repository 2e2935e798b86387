import { check } from '@nccl-ts/checker';
import { window } from '@nccl-ts/devcomm';
import type { CheckReport } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';
import { hosts } from './every-engine.ts';

interface Shape {
  /** True if each CTA fences between its part and the count. */
  readonly fences: boolean;
  /** True if the last CTA loads the parts by accesses with a memory order. */
  readonly isStrong: boolean;
  /** True if a CTA loads the parts only if it is the last one. */
  readonly decides: boolean;
}

/** Each CTA stores its part and counts itself. The last one adds all parts up. */
const lastBlock = ({ fences, isStrong, decides }: Shape) =>
  kernel(
    {
      name: 'lastBlock',
      use: { lsa, FENCES: fences, STRONG: isStrong, DECIDES: decides },
      params: { parts: window, out: window },
    },
    (
      { lsa, FENCES, STRONG, DECIDES, coopCta, sharedArray, fence, threadIdx, blockIdx, gridDim, u32 },
      { parts, out },
    ) => {
      const all = lsa.localPointer(parts, u32, 0);
      const isLast = sharedArray(u32, 1);
      if (threadIdx.x === 0) {
        all.store(4 + blockIdx.x, 7);
        if (FENCES) fence('acq_rel', 'device');
        isLast[0] = all.atomicAdd(0, 1, 'relaxed', 'device') === gridDim.x - 1 ? u32(1) : u32(0);
      }
      coopCta().sync();
      if (threadIdx.x === 1 && (!DECIDES || isLast.load(0) === 1)) {
        let sum = u32(0);
        for (let b = u32(0); b < gridDim.x; b++) {
          sum += STRONG ? all.load(4 + b, 'relaxed', 'device') : all.load(4 + b);
        }
        lsa.localPointer(out, u32, 0).store(blockIdx.x, sum);
      }
    },
  );

async function reportsOf(shape: Shape): Promise<readonly CheckReport[]> {
  const program = hosts(async (comm) => {
    const parts = await comm.allocWindow('u32', 8);
    const out = await comm.allocWindow('u32', 2);
    await comm.launch(lastBlock(shape), { grid: 2, block: 2 }, { parts, out });
    await comm.synchronize();
  });
  const reports: CheckReport[] = [];
  for (const strategy of ['auto', 'exhaustive', 'late'] as const)
    reports.push(await check({ ranks: 1, strategy }, program));
  return reports;
}

const right: Shape = { fences: true, isStrong: true, decides: true };

describe('the last CTA adds up the parts of all, counted by a relaxed addition', () => {
  it('warns of the missing acquire, because loads with an order follow the decision on GPUs', async () => {
    for (const { verdict, findings } of await reportsOf(right)) {
      expect(verdict).toBe('clean');
      const told = findings.filter(({ kind }) => kind !== 'uninitialised');
      expect(told.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
        'model: a load and a store of the same bytes are not ordered by the memory model; GPUs order them, because the load has a memory order, and it begins after the read that decides if it runs',
      ]);
    }
  });

  it.each([
    ['plain loads may be cached', { ...right, isStrong: false }, 'acquire'],
    ['no fence precedes the count', { ...right, fences: false }, 'release'],
  ] as const)('is an error if %s', async (_why, shape, missing) => {
    for (const { verdict, findings } of await reportsOf(shape)) {
      expect(verdict).toBe('race');
      expect(findings.find(({ kind }) => kind === 'race')?.missing.map(({ kind }) => kind)).toContain(missing);
    }
  });

  it('is an error in all executions if the value decides nothing', async () => {
    const [, exhaustive] = await reportsOf({ ...right, decides: false });
    expect(exhaustive?.verdict).toBe('race');
  });
});
