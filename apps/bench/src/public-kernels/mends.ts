import { option } from '../option.ts';
import { machineText, writeResults } from '../write-results.ts';
import { heldOut } from './held-out.ts';
import { readResults, rowName } from './measured-times.ts';

/*
 * Puts later predictions of published kernels beside the first ones and the measurements:
 *
 *     node mends.js --first FILE --after FILE,FILE --json FILE
 *
 * `--first` is what beside.js has written, and `--after` what predict.js has. Rows that were not
 * predicted again are left out. A row says if its kernel was held out when the model was mended.
 */

const [first, after, file] = [option('--first'), option('--after'), option('--json')];
if (first === undefined || after === undefined || file === undefined) {
  throw new RangeError('--first FILE, --after FILE,FILE and --json FILE are needed.');
}
const runs = after.split(',').map(readResults);
const times = new Map(
  runs
    .flatMap((run) => run.at('rows').list)
    .map((one) => [rowName(one.at('kernel').text, one.at('bytes').number), one.at('us').number]),
);
// Some cells were predicted twice.
const cells = new Map(
  readResults(first)
    .at('rows')
    .list.map((one) => [rowName(one.at('kernel').text, one.at('bytes').number), one]),
);
const known = [...cells.values()];
const isHeldOut = heldOut(known.map((one) => one.at('kernel').text));
const rows = known.flatMap((one) => {
  const kernel = one.at('kernel').text;
  const bytes = one.at('bytes').number;
  const us = times.get(rowName(kernel, bytes));
  if (us === undefined) return [];
  const [firstUs, measuredUs] = [one.at('us').number, one.at('measuredUs').number];
  const part = isHeldOut.has(kernel) ? 'held out' : 'used';
  return [{ kernel, bytes, part, firstUs, us, measuredUs }];
});
const made = runs.map((run) => ({
  commit: run.at('commit').text,
  command: run.at('command').text,
  date: run.at('date').text,
  profile: run.at('profile').text,
}));
writeResults(file, machineText(), { gpus: 2, first, after: made, rows });
