import { readFileSync, writeFileSync } from 'node:fs';
import { JsonValue } from './json-value.ts';
import { shortResults } from './short-results.ts';

/*
 * Makes a file for `results/` of what a run of cases has written: node
 * apps/bench/dist/figures/keep.js FROM TO Of conformance.json, conformance-webgpu.json,
 * collectives.json and transfers.json. The others are copied as they are.
 */

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) {
  console.error('usage: node apps/bench/dist/figures/keep.js FROM TO');
  process.exitCode = 2;
} else {
  const raw: unknown = JSON.parse(readFileSync(from, 'utf8'));
  writeFileSync(to, `${JSON.stringify(shortResults(new JsonValue(raw, from)), undefined, 2)}\n`);
}
