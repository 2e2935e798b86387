import { option } from '../option.ts';
import { machineText, writeResults } from '../write-results.ts';
import { heldOut } from './held-out.ts';
import { measuredTimes, readResults, rowName } from './measured-times.ts';
import { publicKernels } from './public-kernels.ts';

/*
 * Puts predictions of published kernels beside their measurements:
 *
 *     node beside.js --predicted FILE,FILE --measured FILE,FILE --json FILE
 *
 * A row has the medians of rounds, and says if its kernel was held out when the model was
 * mended. Rows that were not measured, or not predicted, are left out.
 */

const [predicted, measured, file] = [option('--predicted'), option('--measured'), option('--json')];
if (predicted === undefined || measured === undefined || file === undefined) {
  throw new RangeError('--predicted FILE, --measured FILE and --json FILE are needed.');
}
const files = measured.split(',');
const times = measuredTimes(files);
// A file of predictions may have those of several runs.
const parts = predicted
  .split(',')
  .map(readResults)
  .flatMap((run) => (run.at('parts').present ? run.at('parts').list : [run]));
const rows = parts.flatMap((part) =>
  part.at('rows').list.flatMap((one) => {
    const kernel = one.at('kernel').text;
    const bytes = one.at('bytes').number;
    const measuredUs = times.get(rowName(kernel, bytes));
    // Changed kernels have a table of their own.
    if (measuredUs === undefined || kernel.includes('~')) return [];
    return [{ kernel, bytes, us: one.at('us').number, measuredUs, predictedAt: part.at('commit').text }];
  }),
);
const isHeldOut = heldOut(publicKernels.map(({ name }) => name));
const shown = rows.map((row) => ({ ...row, part: isHeldOut.has(row.kernel) ? 'held out' : 'used' }));
const measuredAt = files.map((path) => readResults(path).at('commit').text).join(', ');
writeResults(file, machineText(), { gpus: 2, predicted, measured, measuredAt, rows: shown });
