import { parseArgs } from 'node:util';
import { medianOf } from '@nccl-ts/core';
import { checkModeRows } from './check-mode.ts';
import { runModeRows } from './run-mode.ts';
import { machineText, writeResults } from './write-results.ts';

const { values: options } = parseArgs({ options: { json: { type: 'string' } } });

/**
 * Prints the tables of run mode and of check mode. The exit code is 0 if every row is within its
 * bar. `--json FILE` writes them to a file.
 */
async function main(): Promise<void> {
  const machine = machineText();
  console.log(machine);
  const rows = await runModeRows();
  for (const { kernel, samples, ratio, wasmRatio, bar } of rows) {
    console.log(`\n${kernel}: 4 ranks, 16 CTAs x 512 threads, 1048576 f32`);
    for (const sample of samples) {
      const { name, ms } = sample;
      const spread = `${ms[0]?.toFixed(2)} to ${ms.at(-1)?.toFixed(2)}`;
      console.log(`  ${name.padEnd(20)} median ${medianOf(sample.ms).toFixed(2)} ms  (${spread}, ${ms.length} rounds)`);
    }
    console.log(`  ratio to the faster loop: js ${ratio.toFixed(2)} (bar: ${bar}), wasm ${wasmRatio.toFixed(2)}`);
    if (!(ratio <= bar)) process.exitCode = 1;
  }
  console.log('\ncheck mode');
  const checkRows = await checkModeRows();
  for (const { what, value, unit, spread, bar, holds } of checkRows) {
    console.log(`  ${what}: ${value.toFixed(2)} ${unit}${spread === '' ? '' : ` (${spread})`}, bar: ${bar}`);
    if (!holds) process.exitCode = 1;
  }
  if (options.json !== undefined) writeResults(options.json, machine, { runMode: rows, checkMode: checkRows });
}

await main();
