import { readFileSync } from 'node:fs';
import { medianOf } from '@nccl-ts/core';
import { traceOfProfile } from '@nccl-ts/cost-model';
import { option } from '../option.ts';
import { machineText, writeResults } from '../write-results.ts';
import { rulesOf } from './choice-of.ts';
import { predictCollective } from './predict-collective.ts';
import type { PredictedProgram } from './predicted-program.ts';

/*
 * How long tracing takes: two calls on two ranks in a new world, as a prediction makes them, in
 * simulated time and in run mode (JavaScript), which take turns:
 *
 *     node apps/bench/dist/predict/speed.js --rounds 5 --json FILE
 *
 * CPU time counts, of all threads of the process: other programs on the machine add less to it than
 * to the time that passes. A first round, with the time for compiling kernels, is left out.
 */

const trace = traceOfProfile(JSON.parse(readFileSync(option('--machine', 'profiles/h100-nvlink4.json'), 'utf8')));
const rounds = Number(option('--rounds', '5'));
const machine = machineText();
const cases: readonly (readonly [PredictedProgram, string, number])[] = [
  ['all_reduce', 'll:64:512', 1 << 18],
  ['all_reduce', 'll:64:512', 1 << 20],
  ['all_reduce', 'twoShot:64:512', 1 << 20],
  ['all_reduce', 'twoShot:64:512', 1 << 22],
  ['all_reduce', 'twoShot:64:512', 1 << 24],
];
const rows = [];
for (const [program, contender, bytes] of cases) {
  const rules = rulesOf(program, contender) ?? [];
  const call = { program, bytes, ranks: 2, rules };
  const modes = {
    traced: { run: async () => predictCollective(call, trace), cpu: [] as number[], wall: [] as number[] },
    run: { run: async () => predictCollective(call, false, 'js'), cpu: [] as number[], wall: [] as number[] },
  };
  for (let round = -1; round < rounds; round++) {
    for (const { run, cpu, wall } of Object.values(modes)) {
      const [began, before] = [performance.now(), process.cpuUsage()];
      await run();
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue;
      wall.push((performance.now() - began) / 1000);
      cpu.push((user + system) / 1e6);
    }
  }
  const seconds = (values: readonly number[]): number => Number(medianOf(values).toFixed(2));
  const { traced, run } = modes;
  const row = { program, contender, bytes, ranks: 2, traced: seconds(traced.cpu), run: seconds(run.cpu) };
  rows.push({ ...row, tracedWall: seconds(traced.wall), runWall: seconds(run.wall) });
  console.log(JSON.stringify(rows.at(-1)));
}
const file = option('--json');
if (file !== undefined) writeResults(file, machine, { rounds, rows });
