import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import type { WorldShape } from '@nccl-ts/conformance';
import { renderReport } from '@nccl-ts/findings';
import { expect } from 'vitest';

/** Expects that a case passes in check mode on a world of its shape, without findings. */
export async function expectClean<Case extends WorldShape>(
  one: Case,
  run: (world: World, one: Case) => Promise<string | undefined>,
  seed: number,
): Promise<void> {
  const { ranks, lsaSize } = one;
  const backend = sim({ ranks, lsaSize, mode: 'check', seed });
  {
    await using world = await World.open({ backend });
    expect(await run(world, one)).toBeUndefined();
  }
  const report = backend.report();
  expect(report.findings.length === 0 ? '' : renderReport(report)).toBe('');
}
