import { readFileSync } from 'node:fs';
import { medianOf } from '@nccl-ts/core';
import { JsonValue } from '../figures/json-value.ts';
import { option } from '../option.ts';
import { machineText, writeResults } from '../write-results.ts';

/*
 * Puts the predicted saving of each changed kernel beside the measured one:
 *
 *     node what-ifs.js --kernels FILE --predicted FILE --measured FILE,FILE --json FILE
 *
 * `--kernels` has the predictions of the kernels as they are, `--predicted` those of the changed
 * ones, and each file of `--measured` the rounds of both.
 */

const [kernels, predicted, measured, file] = ['--kernels', '--predicted', '--measured', '--json'].map((name) =>
  option(name),
);
if (kernels === undefined || predicted === undefined || measured === undefined || file === undefined) {
  throw new RangeError('--kernels FILE, --predicted FILE, --measured FILE and --json FILE are needed.');
}
const before = new Map(
  read(kernels)
    .at('parts')
    .list.flatMap((part) => part.at('rows').list)
    .map((one) => [keyOf(one.at('kernel').text, one.at('bytes').number), one.at('us').number]),
);
const times = new Map(
  measured
    .split(',')
    .flatMap((path) => read(path).at('rows').list)
    .flatMap((one) => {
      const rounds = one.at('times');
      return rounds.names.map((name): readonly [string, number] => [
        keyOf(name, one.at('bytes').number),
        medianOf(rounds.at(name).list.map((time) => time.number)),
      ]);
    }),
);
const rows = read(predicted)
  .at('rows')
  .list.flatMap((one) => {
    const [kernel = '', change = ''] = one.at('kernel').text.split('~');
    const bytes = one.at('bytes').number;
    const was = { predicted: before.get(keyOf(kernel, bytes)), measured: times.get(keyOf(kernel, bytes)) };
    const is = { predicted: one.at('us').number, measured: times.get(keyOf(one.at('kernel').text, bytes)) };
    if (was.predicted === undefined || was.measured === undefined || is.measured === undefined) return [];
    const [us, measuredUs] = [was.predicted - is.predicted, was.measured - is.measured];
    return [{ kernel, change, bytes, us, measuredUs }];
  });
writeResults(file, machineText(), { gpus: 2, kernels, predicted, measured, rows });

function keyOf(kernel: string, bytes: number): string {
  return `${kernel} ${bytes}`;
}

function read(path: string): JsonValue {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return new JsonValue(value, path);
}
