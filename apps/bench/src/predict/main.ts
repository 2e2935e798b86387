import { readFileSync, writeFileSync } from 'node:fs';
import { traceOfProfile } from '@nccl-ts/backend-sim';
import { option } from '../option.ts';
import { provenance } from '../provenance.ts';
import { predictCollective, predictedPrograms } from './predict-collective.ts';

/*
 * Predicts the collectives that a table of `gpu/table.ts` has measured, by a machine's profile:
 *
 *     node apps/bench/dist/predict/main.js --machine profiles/h200-nvlink4.json --gpus 2 --json FILE
 *
 * Arguments: -b 1024 -e 67108864 -f 4, --programs NAME,...
 */

const profile: unknown = JSON.parse(readFileSync(option('--machine', 'profiles/h200-nvlink4.json'), 'utf8'));
const trace = traceOfProfile(profile);
const ranks = Number(option('--gpus', '2'));
const factor = Number(option('-f', '4'));
const asked = option('--programs', predictedPrograms.join(',')).split(',');
const rows: object[] = [];
for (const program of predictedPrograms.filter((name) => asked.includes(name))) {
  for (let bytes = Number(option('-b', '1024')); bytes <= Number(option('-e', '67108864')); bytes *= factor) {
    const began = performance.now();
    const us = Number((await predictCollective({ program, bytes, ranks }, trace)).toFixed(2));
    const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
    const row = { program, bytes, gpus: ranks, us };
    rows.push(row);
    console.log(JSON.stringify({ ...row, seconds }));
  }
}
const file = option('--json');
if (file !== undefined) writeFileSync(file, `${JSON.stringify({ ...provenance(), profile, rows }, undefined, 1)}\n`);
