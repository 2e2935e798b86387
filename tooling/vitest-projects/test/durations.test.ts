import { join } from 'node:path';

import { expect, test } from 'vitest';

import { withReport } from '../src/durations.ts';

const root = join(import.meta.dirname, '../../..');
const [own, other] = ['durations.test.ts', 'chromium.test.ts'].map((name) => `tooling/vitest-projects/test/${name}`);

test('the durations of slow files are recorded, the longest first, and those of other files stay', () => {
  const took = (path = '', seconds = 0) => ({
    name: join(root, path),
    startTime: 5000,
    endTime: 5000 + seconds * 1000,
  });
  const known = { [String(own)]: 3, 'tooling/vitest-projects/test/gone.test.ts': 9 };
  const report = { testResults: [took(other, 4.2), took('vitest.config.ts', 1.2)] };
  expect(Object.entries(withReport(known, report, root))).toEqual([
    [other, 4],
    [own, 3],
  ]);
  expect(withReport(known, { testResults: [took(own, 1)] }, root)).toEqual({});
});
