import { option } from '../option.ts';
import { machineText, writeResults } from '../write-results.ts';
import { measuredTimes, readResults, rowName } from './measured-times.ts';
import { RELAXED } from './relaxed-kernels.ts';

/*
 * Puts the predicted saving of each relaxed text beside the measured ones:
 *
 *     node relaxed.js --predicted FILE --measured FILE --long FILE --json FILE
 *
 * `--measured` has rounds in graphs of 20 calls, and `--long` in longer ones.
 */

const [predicted, measured, long, file] = ['--predicted', '--measured', '--long', '--json'].map((name) => option(name));
if (predicted === undefined || measured === undefined || long === undefined || file === undefined)
  throw new RangeError('--predicted FILE, --measured FILE, --long FILE and --json FILE are needed.');

const results = readResults(predicted);
const times = new Map(
  results.at('rows').list.map((one) => [rowName(one.at('kernel').text, one.at('bytes').number), one.at('us').number]),
);
const [short, longer] = [measuredTimes([measured]), measuredTimes([long])];

/** A time before, and what the relaxed text saves. Undefined if one of them is missing. */
function savingOf(
  of: ReadonlyMap<string, number>,
  kernel: string,
  bytes: number,
): readonly [number, number] | undefined {
  const [before, after] = [kernel, `${kernel}~${RELAXED}`].map((name) => of.get(rowName(name, bytes)));
  return before === undefined || after === undefined ? undefined : [before, before - after];
}

const rows = results.at('rows').list.flatMap((one) => {
  const kernel = one.at('kernel').text;
  const bytes = one.at('bytes').number;
  const [mine, brief, lasting] = [times, short, longer].map((of) => savingOf(of, kernel, bytes));
  if (mine === undefined || brief === undefined || lasting === undefined) return [];
  const [us, savedUs] = mine;
  return [{ kernel, bytes, us, savedUs, measuredUs: brief[1], measuredLongUs: lasting[1], longUs: lasting[0] }];
});
writeResults(file, machineText(), { gpus: 2, predicted, measured, long, predictedAt: results.at('commit').text, rows });
