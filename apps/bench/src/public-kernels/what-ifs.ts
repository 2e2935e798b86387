import { option } from '../option.ts';
import { machineText, writeResults } from '../write-results.ts';
import { measuredTimes, readResults, rowName } from './measured-times.ts';

/*
 * Puts the predicted saving of each changed kernel beside the measured one:
 *
 *     node what-ifs.js --kernels FILE,... --predicted FILE,... --measured FILE,... --json FILE
 *
 * `--kernels` has the predictions of the kernels as they are, `--predicted` those of the changed
 * ones, and `--measured` the rounds of both. Each takes several files.
 */

const [kernels, predicted, measured, file] = ['--kernels', '--predicted', '--measured', '--json'].map((name) =>
  option(name),
);
if (kernels === undefined || predicted === undefined || measured === undefined || file === undefined) {
  throw new RangeError('--kernels FILE, --predicted FILE, --measured FILE and --json FILE are needed.');
}
const before = new Map(
  kernels
    .split(',')
    .map((one) => readResults(one))
    .flatMap((one) => (one.at('parts').present ? one.at('parts').list : [one]))
    .flatMap((part) => part.at('rows').list)
    .map((one) => [rowName(one.at('kernel').text, one.at('bytes').number), one.at('us').number]),
);
const times = measuredTimes(measured.split(','));
const rows = predicted
  .split(',')
  .flatMap((one) => readResults(one).at('rows').list)
  .flatMap((one) => {
    const [kernel = '', change = ''] = one.at('kernel').text.split('~');
    const bytes = one.at('bytes').number;
    const was = { predicted: before.get(rowName(kernel, bytes)), measured: times.get(rowName(kernel, bytes)) };
    const is = { predicted: one.at('us').number, measured: times.get(rowName(one.at('kernel').text, bytes)) };
    if (was.predicted === undefined || was.measured === undefined || is.measured === undefined) return [];
    const [us, measuredUs] = [was.predicted - is.predicted, was.measured - is.measured];
    return [{ kernel, change, bytes, us, measuredUs }];
  });
writeResults(file, machineText(), { gpus: 2, kernels, predicted, measured, rows });
