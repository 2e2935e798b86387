import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { byShape, runTransferCase, transferCases } from '@nccl-ts/conformance';
import { renderReport } from '@nccl-ts/findings';
import { describe, expect, test } from 'vitest';

const timeout = 120_000;
/** With NCCLTS_EVERY_CASE set, more worlds are checked. */
const every = process.env['NCCLTS_EVERY_CASE'] !== undefined;

describe('sends, puts and groups leave what they must', () => {
  test.each(byShape(transferCases()))(
    'on $shape.ranks ranks, $shape.lsaSize in a domain',
    { timeout },
    async ({ shape, cases }) => {
      await using world = await World.open({ backend: sim(shape) });
      const problems: string[] = [];
      for (const one of cases) {
        const problem = await runTransferCase(world, one);
        if (problem !== undefined) problems.push(`${one.id}: ${problem}`);
      }
      expect(problems).toEqual([]);
    },
  );
});

describe('sends, puts and groups are clean in check mode, whatever comes first', () => {
  const chosen = transferCases().filter(({ ranks, lsaSize }) =>
    every ? ranks === 4 || lsaSize === 3 : ranks === 4 && lsaSize === 2,
  );
  test.each(chosen)('$id', { timeout }, async (one) => {
    for (const seed of [1, 2]) {
      const backend = sim({ ranks: one.ranks, lsaSize: one.lsaSize, mode: 'check', seed });
      {
        await using world = await World.open({ backend });
        expect(await runTransferCase(world, one)).toBeUndefined();
      }
      const report = backend.report();
      expect(report.findings.length === 0 ? '' : renderReport(report)).toBe('');
    }
  });
});
