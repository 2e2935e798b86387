import { readFileSync } from 'node:fs';
import { medianOf } from '@nccl-ts/core';
import { JsonValue } from '../figures/json-value.ts';
import { option } from '../option.ts';
import { machineText, writeResults } from '../write-results.ts';

/*
 * Puts predictions of published kernels beside their measurements:
 *
 *     node beside.js --predicted FILE --measured FILE,FILE --json FILE
 *
 * A row has the medians of rounds. Rows that were not measured, or not predicted, are left out.
 */

const [predicted, measured, file] = [option('--predicted'), option('--measured'), option('--json')];
if (predicted === undefined || measured === undefined || file === undefined) {
  throw new RangeError('--predicted FILE, --measured FILE and --json FILE are needed.');
}
const times = new Map<string, number>();
const files = measured.split(',');
for (const one of files.flatMap((path) => read(path).at('rows').list)) {
  for (const kernel of one.at('times').names) {
    const rounds = one
      .at('times')
      .at(kernel)
      .list.map((time) => time.number);
    times.set(`${kernel} ${one.at('bytes').number}`, medianOf(rounds));
  }
}
const parts = read(predicted).at('parts').list;
const rows = parts.flatMap((part) =>
  part.at('rows').list.flatMap((one) => {
    const kernel = one.at('kernel').text;
    const bytes = one.at('bytes').number;
    const measuredUs = times.get(`${kernel} ${bytes}`);
    // Changed kernels have a table of their own.
    if (measuredUs === undefined || kernel.includes('~')) return [];
    return [{ kernel, bytes, us: one.at('us').number, measuredUs, predictedAt: part.at('commit').text }];
  }),
);
const measuredAt = files.map((path) => read(path).at('commit').text).join(', ');
writeResults(file, machineText(), { gpus: 2, predicted, measured, measuredAt, rows });

function read(path: string): JsonValue {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return new JsonValue(value, path);
}
