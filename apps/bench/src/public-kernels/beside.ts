import { option } from '../option.ts';
import { machineText, writeResults } from '../write-results.ts';
import { measuredTimes, readResults, rowName } from './measured-times.ts';

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
const files = measured.split(',');
const times = measuredTimes(files);
const parts = readResults(predicted).at('parts').list;
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
const measuredAt = files.map((path) => readResults(path).at('commit').text).join(', ');
writeResults(file, machineText(), { gpus: 2, predicted, measured, measuredAt, rows });
