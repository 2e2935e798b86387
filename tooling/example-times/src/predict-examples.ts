import { JsonValue, option, provenance, tracedTime } from '@nccl-ts/bench/measuring';
import { readFileSync, writeFileSync } from 'node:fs';
import { traceOfProfile } from '@nccl-ts/cost-model';
import { medianOf } from '@nccl-ts/core';
import { EXAMPLE_CALLS } from './example-calls.ts';
import { repeatedLaunches } from './repeated-launches.ts';

/*
 * Predicts the kernels of the examples by a machine's profile, beside what `measure-examples.ts`
 * has measured. The README has the command. Options: --machine PROFILE, --gpus 2, --measured TABLE,
 * --json FILE.
 */

const profile = read(option('--machine', 'profiles/h200-nvlink4.json'));
const ranks = Number(option('--gpus', '2'));
const table = option('--measured');
const measured = table === undefined ? [] : read(table).at('rows').list;
const rows: object[] = [];
for (const { name, prepare } of repeatedLaunches) {
  const trace = traceOfProfile(profile.value, EXAMPLE_CALLS);
  // All launches of a graph use the same memory.
  const us = Number((await tracedTime({ ranks, calls: 1, prepare }, trace)).toFixed(2));
  const beside = measured.find((row) => row.at('example').text === name && row.at('gpus').number === ranks);
  const times = beside?.at('times').list.map((time) => time.number);
  const row = { example: name, gpus: ranks, us, ...(times === undefined ? {} : { measuredUs: medianOf(times) }) };
  rows.push(row);
  console.log(JSON.stringify(row));
}
const file = option('--json');
if (file !== undefined) {
  // The profile's file contains its micro-benchmarks.
  const machine = { name: profile.at('name').text, how: profile.at('how').text };
  const head = { ...provenance(), machine, measured: table === undefined ? [] : [table] };
  writeFileSync(file, `${JSON.stringify({ ...head, rows }, undefined, 1)}\n`);
}

function read(path: string): JsonValue {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return new JsonValue(value, path);
}
