import { readFileSync, writeFileSync } from 'node:fs';
import { traceOfProfile } from '@nccl-ts/cost-model';
import { JsonValue } from '../figures/json-value.ts';
import { callsOf } from './calls-of.ts';
import { option } from '../option.ts';
import { provenance } from '../provenance.ts';
import { choiceOf, rulesOf } from './choice-of.ts';
import { MeasuredTables } from './measured-tables.ts';
import { predictCollective } from './predict-collective.ts';
import { predictedPrograms, programsOf, type PredictedProgram } from './predicted-program.ts';

/*
 * Predicts collectives by a machine's profile, beside what `gpu/table.ts` has measured:
 *
 *     node apps/bench/dist/predict/main.js --machine PROFILE --gpus 2 --measured TABLE --json FILE
 *
 * `--measured A,B` names tables; the first one that has a cell counts. Sizes are those of -b to -e
 * by a factor -f that they have, or all of these without tables.
 * `--contenders own` predicts the selection's choices, `--contenders all` each algorithm of the
 * tables too. `--programs NAME,...` limits it.
 */

const profile = read(option('--machine', 'profiles/h200-nvlink4.json'));
const ranks = Number(option('--gpus', '2'));
const tables = option('--measured')?.split(',') ?? [];
const measured = new MeasuredTables(tables.map(read), ranks);
const [least, most] = [Number(option('-b', '1024')), Number(option('-e', '67108864'))];
const factor = Number(option('-f', '2'));
const requested = option('--contenders', 'own');
const rows: object[] = [];
for (const program of programsOf(option('--programs', predictedPrograms.join(',')))) {
  for (const bytes of sizesOf(program)) {
    const contenders = requested === 'all' ? measured.contenders(program) : requested.split(',');
    for (const contender of contenders) {
      const rules = rulesOf(program, contender);
      if (rules === undefined) throw new RangeError(`--contenders ${contender}: no such algorithm.`);
      const began = performance.now();
      const trace = traceOfProfile(profile.value, callsOf(bytes));
      const us = Number((await predictCollective({ program, bytes, ranks, rules }, trace)).toFixed(2));
      const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
      const choice = choiceOf(program, contender, bytes, ranks);
      const beside = measured.beside(program, contender, bytes);
      const row = { program, bytes, gpus: ranks, contender, choice, us, ...beside };
      rows.push(row);
      console.log(JSON.stringify({ ...row, seconds }));
    }
  }
}
const file = option('--json');
if (file !== undefined) {
  // The profile's file contains its micro-benchmarks.
  const machine = { name: profile.at('name').text, how: profile.at('how').text };
  const head = { ...provenance(), machine, measured: tables };
  writeFileSync(file, `${JSON.stringify({ ...head, rows }, undefined, 1)}\n`);
}

function sizesOf(program: PredictedProgram): readonly number[] {
  const sizes: number[] = [];
  for (let bytes = least; bytes <= most; bytes *= factor) sizes.push(bytes);
  const known = measured.sizes(program, most);
  return tables.length === 0 ? sizes : sizes.filter((bytes) => known.includes(bytes));
}

function read(path: string): JsonValue {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return new JsonValue(value, path);
}
