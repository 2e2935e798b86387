import { buildReport, type Finding } from '@nccl-ts/findings';
import { expect, test } from 'vitest';
import { ofHasty } from '../../src/check/hasty-findings.ts';

const schedule = { strategy: 'hasty', seed: 1 } as const;
const finding = (kind: Finding['kind'], ranks: readonly number[]): Finding => ({
  kind,
  severity: 'error',
  message: kind,
  labels: ranks.map((rank) => ({ agent: 'thread', does: 'load', rank })),
  missing: [],
  certainty: 'this schedule',
  schedule,
});

test('each finding that is left after a time-out keeps its own sightings and spread', () => {
  const race = finding('race', [0, 1]);
  const proves = { kind: 'this schedule', ...schedule } as const;
  const report = buildReport({
    runs: [{ findings: [finding('deadlock', []), race], seen: [1, 5], accesses: 1 }],
    proves,
  });
  const left = ofHasty(report);
  expect(left.findings).toEqual([race]);
  expect(left.seen).toEqual([5]);
  expect(left.spread).toHaveLength(1);
  expect(left.spread[0]?.labels).toHaveLength(2);
});
