import { readFileSync, writeFileSync } from 'node:fs';
import { profileParameters } from '@nccl-ts/machine-profile';
import { microOf } from './micro-of.ts';

/*
 * Makes the parameters of a measured profile anew, from its micro-benchmarks:
 *
 *     node apps/bench/dist/machine-profile/refresh.js profiles/h100-nvlink4.json
 */

for (const path of process.argv.slice(2)) {
  const profile: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof profile !== 'object' || profile === null) throw new TypeError(`${path} has no object`);
  const parameters = profileParameters(microOf(profile, path));
  writeFileSync(path, `${JSON.stringify({ ...profile, parameters }, undefined, 1)}\n`);
}
