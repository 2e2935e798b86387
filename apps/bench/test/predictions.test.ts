import { traceOfProfile } from '@nccl-ts/cost-model';
import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { JsonValue } from '../src/figures/json-value.ts';
import { errorsIn } from '../src/figures/table-text.ts';
import { callsOf } from '../src/predict/calls-of.ts';
import { rulesOf } from '../src/predict/choice-of.ts';
import { predictCollective } from '../src/predict/predict-collective.ts';
import { programsOf } from '../src/predict/predicted-program.ts';

/*
 * The committed predictions are those of the present model, and as near to the measured times as
 * docs/predictions says. If the model changes, predict them again as that page describes.
 */

const root = new URL('../../../', import.meta.url);

function read(path: string): JsonValue {
  const value: unknown = JSON.parse(readFileSync(new URL(path, root), 'utf8'));
  return new JsonValue(value, path);
}

/** Bytes of the calls that are predicted again, which take little time. */
const SMALL = 1024;

/**
 * True for small calls: those of the selection, and those of AllReduce by each algorithm. The rings
 * are left out: their rows are of the kernel before one of its fences went.
 */
function isAgain(row: JsonValue): boolean {
  if (row.at('bytes').number !== SMALL || row.at('contender').text === 'ring') return false;
  return row.at('contender').text === 'own' || row.at('program').text === 'all_reduce';
}

const tables = [
  ['2-h100', 1.1, 1.3],
  ['2-h200', 1.1, 1.3],
  ['algorithms-2-h100', 1.1, 1.3],
  ['algorithms-2-h200', 1.1, 1.3],
  ['4-h100', 1.12, 1.35],
  ['4-h200', 1.12, 1.35],
] as const;

// The quick tests have one, and predict an eighth of its small calls.
describe.each(tables.filter((_, i) => i === 1 || inject('slow')))('the predictions of %s', (name, mean, worst) => {
  const results = read(`apps/bench/results/predicted-${name}.json`);
  const rows = results.at('rows').list;

  test('are near the measured times', () => {
    expect(rows.length).toBeGreaterThan(30);
    const errors = errorsIn(rows.map((row) => row.at('us').number / row.at('measuredUs').number));
    expect(errors.mean).toBeLessThan(mean);
    expect(errors.worst).toBeLessThan(worst);
  });

  test('are what the model predicts for small calls', async () => {
    const trace = traceOfProfile(read(`profiles/${results.at('machine').at('name').text}.json`).value, callsOf(SMALL));
    for (const row of rows.filter(isAgain).filter((_, i) => i % 16 === 0 || inject('slow'))) {
      const contender = row.at('contender').text;
      for (const program of programsOf(row.at('program').text)) {
        const rules = rulesOf(program, contender);
        if (rules === undefined) throw new RangeError(`There is no algorithm ${contender}.`);
        const call = { program, bytes: SMALL, ranks: row.at('gpus').number, rules };
        const factor = (await predictCollective(call, trace)) / row.at('us').number;
        expect(Math.abs(factor - 1), `${program} by ${contender}`).toBeLessThan(0.02);
      }
    }
  });
});
