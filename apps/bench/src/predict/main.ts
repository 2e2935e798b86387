import { readFileSync, writeFileSync } from 'node:fs';
import { traceOfProfile } from '@nccl-ts/backend-sim';
import { JsonValue } from '../figures/json-value.ts';
import { medianOf } from '../median-of.ts';
import { option } from '../option.ts';
import { provenance } from '../provenance.ts';
import { predictCollective, predictedPrograms } from './predict-collective.ts';

/*
 * Predicts the collectives that a table of `gpu/table.ts` has measured, by a machine's profile:
 *
 *     node apps/bench/dist/predict/main.js --machine PROFILE --gpus 2 --json FILE
 *
 * `--measured FILE` names that table, for the errors. Other arguments: -b 1024 -e 67108864 -f 4,
 * --programs NAME,...
 */

const profile: unknown = JSON.parse(readFileSync(option('--machine', 'profiles/h200-nvlink4.json'), 'utf8'));
const trace = traceOfProfile(profile);
const ranks = Number(option('--gpus', '2'));
const factor = Number(option('-f', '4'));
const asked = option('--programs', predictedPrograms.join(',')).split(',');
const table = option('--measured');
const measured = table === undefined ? undefined : new JsonValue(JSON.parse(readFileSync(table, 'utf8')), table);
const rows: object[] = [];
for (const program of predictedPrograms.filter((name) => asked.includes(name))) {
  for (let bytes = Number(option('-b', '1024')); bytes <= Number(option('-e', '67108864')); bytes *= factor) {
    const began = performance.now();
    const us = Number((await predictCollective({ program, bytes, ranks }, trace)).toFixed(2));
    const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
    const row = { program, bytes, gpus: ranks, us, ...besides(program, bytes) };
    rows.push(row);
    console.log(JSON.stringify({ ...row, seconds }));
  }
}
/**
 * The measured time beside it, or the reason why they do not compare: two ranks have used flags for
 * parts of up to 512 KiB, twice as much as before, since the committed tables were measured.
 */
function besides(program: string, bytes: number): object {
  const found = measured
    ?.at('rows')
    .list.find((one) => one.at('program').text === program && one.at('bytes').number === bytes);
  if (found === undefined || measured === undefined) return {};
  if (found.at('gpus').number !== ranks) throw new RangeError(`${table} was not measured on ${ranks} GPUs.`);
  const part = program === 'all_reduce' ? bytes : bytes / ranks;
  const measuredUs = Number(
    medianOf(
      found
        .at('times')
        .at('own')
        .list.map((one) => one.number),
    ).toFixed(2),
  );
  return { measuredUs, hasChanged: ranks === 2 && part > 1 << 18 && part <= 1 << 19 };
}

const file = option('--json');
if (file !== undefined)
  writeFileSync(
    file,
    `${JSON.stringify({ ...provenance(), machine: profile, measured: table, rows }, undefined, 1)}\n`,
  );
