import { readFileSync } from 'node:fs';
import { traceOfProfile } from '@nccl-ts/cost-model';
import { JsonValue } from '../figures/json-value.ts';
import { option } from '../option.ts';
import { callsOf } from '../predict/calls-of.ts';
import { machineText, writeResults } from '../write-results.ts';
import { chosenKernels } from './chosen-kernels.ts';
import { predictKernel } from './predict-kernel.ts';
import { ptxFolder } from './ptx-folder.ts';

/*
 * Predicts published kernels on two ranks by a machine's profile:
 *
 *     node apps/bench/dist/public-kernels/predict.js --ptx FOLDER --machine PROFILE --json FILE
 *
 * FOLDER has the PTX, which is not in this repository. --kernels NAME,... chooses kernels,
 * `--what-ifs all` takes their changes instead, and
 * -b 1024 -e 16777216 sizes. --calls 20 are those of a graph. The file is written after each row.
 */

const folder = option('--ptx');
const file = option('--json');
if (folder === undefined || file === undefined) throw new RangeError('--ptx FOLDER and --json FILE are needed.');
const path = option('--machine', 'profiles/h200-nvlink4.json');
const profile: unknown = JSON.parse(readFileSync(path, 'utf8'));
const texts = ptxFolder(folder, option('--relaxed'));
const machine = machineText();
const described = new JsonValue(profile, path);
const rows: object[] = [];
for (const { name, bytes, harness } of chosenKernels()) {
  const began = performance.now();
  const nanoseconds = await predictKernel(
    harness,
    texts,
    traceOfProfile(profile, Number(option('--calls', String(callsOf(bytes))))),
  );
  const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
  rows.push({ kernel: name, bytes, us: Number((nanoseconds / 1000).toFixed(2)), seconds });
  console.log(JSON.stringify(rows.at(-1)));
  writeResults(file, machine, { profile: described.at('name').text, gpus: 2, rows });
}
