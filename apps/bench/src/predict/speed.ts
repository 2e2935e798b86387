import { readFileSync, writeFileSync } from 'node:fs';
import { traceOfProfile } from '@nccl-ts/backend-sim';
import { medianOf } from '../median-of.ts';
import { option } from '../option.ts';
import { provenance } from '../provenance.ts';
import { rulesOf } from './choice-of.ts';
import { predictCollective } from './predict-collective.ts';
import type { PredictedProgram } from './predicted-program.ts';

/*
 * How long tracing takes: two calls on two ranks in a new world, as a prediction makes them, in
 * simulated time and in run mode, which take turns:
 *
 *     node apps/bench/dist/predict/speed.js --rounds 5 --json FILE
 */

const trace = traceOfProfile(JSON.parse(readFileSync(option('--machine', 'profiles/h100-nvlink4.json'), 'utf8')));
const rounds = Number(option('--rounds', '5'));
const cases: readonly (readonly [PredictedProgram, string, number])[] = [
  ['all_reduce', 'll:64:512', 1 << 18],
  ['all_reduce', 'll:64:512', 1 << 20],
  ['all_reduce', 'twoShot:64:512', 1 << 22],
  ['all_reduce', 'twoShot:64:512', 1 << 24],
];
const rows = [];
for (const [program, contender, bytes] of cases) {
  const seconds: Record<'traced' | 'run', number[]> = { traced: [], run: [] };
  for (let round = 0; round < rounds; round++) {
    for (const mode of ['traced', 'run'] as const) {
      const began = performance.now();
      const rules = rulesOf(program, contender) ?? [];
      await predictCollective({ program, bytes, ranks: 2, rules }, mode === 'traced' && trace);
      seconds[mode].push((performance.now() - began) / 1000);
    }
  }
  const traced = Number(medianOf(seconds.traced).toFixed(2));
  const run = Number(medianOf(seconds.run).toFixed(2));
  rows.push({ program, contender, bytes, ranks: 2, traced, run });
  console.log(JSON.stringify(rows.at(-1)));
}
const file = option('--json');
if (file !== undefined) {
  const head = { ...provenance(), machine: `${process.platform}, Node ${process.version}` };
  writeFileSync(file, `${JSON.stringify({ ...head, rounds, rows }, undefined, 1)}\n`);
}
