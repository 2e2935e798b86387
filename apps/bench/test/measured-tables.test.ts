import { expect, test } from 'vitest';
import { JsonValue } from '../src/figures/json-value.ts';
import { choiceOf } from '../src/predict/choice-of.ts';
import { MeasuredTables } from '../src/predict/measured-tables.ts';

const BYTES = 1 << 16;
const now = choiceOf('all_reduce', 'own', BYTES, 2);

function tables(row: object): MeasuredTables {
  const rows = [{ program: 'all_reduce', bytes: BYTES, gpus: 2, ...row }];
  return new MeasuredTables([new JsonValue({ rows }, 'table')], 2);
}

test.each([
  [
    'that a table recorded as its own',
    { choice: now, times: { own: [3, 4, 5] } },
    { measuredUs: 4, hasChanged: false },
  ],
  ['of a table with another choice', { choice: 'll:1:32', times: { own: [4] } }, { measuredUs: 4, hasChanged: true }],
  [
    'that another contender of an older table is',
    { choice: 'll:1:32', times: { own: [4], 'sentinel:264:256': [3] } },
    { measuredUs: 3, hasChanged: false },
  ],
  ['of a table without choices, from before sentinels', { times: { own: [4] } }, { measuredUs: 4, hasChanged: true }],
  ['that was not measured', { times: { nccl: [4] } }, {}],
])('a prediction is compared with the measured choice %s', (_name, row, beside) => {
  expect(tables(row).beside('all_reduce', 'own', BYTES)).toEqual(beside);
});

test('contenders are those of this repository, and sizes are those of the tables', () => {
  const table = tables({ times: { ll: [1], nccl: [2] } });
  expect(table.contenders('all_reduce')).toEqual(['own', 'll']);
  expect(table.sizes('all_reduce', BYTES)).toEqual([BYTES]);
  expect(table.sizes('all_reduce', BYTES - 1)).toEqual([]);
});
