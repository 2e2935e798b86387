import { readFileSync, writeFileSync } from 'node:fs';
import { medianOf } from '@nccl-ts/core';
import { option } from '../option.ts';
import { microParameters, type MicroTime } from './micro-times.ts';
import { readResults } from './measured-times.ts';

/*
 * Adds the parameters that micro-kernels measure to a machine's profile:
 *
 *     node micro-parameters.js --measured FILE,FILE --long FILE --profile PROFILE.json
 *
 * `--measured` are runs of all micro-kernels, and `--long` is one in graphs of 80 calls.
 */

const [measured, long, path] = ['--measured', '--long', '--profile'].map((name) => option(name));
if (measured === undefined || long === undefined || path === undefined)
  throw new RangeError('--measured FILE,FILE, --long FILE and --profile FILE are needed.');

function timesOf(file: string): readonly MicroTime[] {
  return readResults(file)
    .at('rows')
    .list.flatMap((one) => {
      const rounds = one.at('times');
      return rounds.names.map((kernel) => ({
        kernel,
        rounds: one.at('bytes').number,
        us: medianOf(rounds.at(kernel).list.map((time) => time.number)),
      }));
    });
}

const profile: unknown = JSON.parse(readFileSync(path, 'utf8'));
if (typeof profile !== 'object' || profile === null || !('parameters' in profile))
  throw new TypeError(`${path} is no profile`);
const { parameters } = profile;
if (typeof parameters !== 'object') throw new TypeError(`${path} has no parameters`);
const made = microParameters(measured.split(',').map(timesOf), timesOf(long));
writeFileSync(path, `${JSON.stringify({ ...profile, parameters: { ...parameters, ...made } }, undefined, 1)}\n`);
