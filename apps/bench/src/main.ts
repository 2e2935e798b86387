import { availableParallelism, cpus } from 'node:os';
import { checkModeRows } from './check-mode.ts';
import { median } from './interleave.ts';
import { runModeRows } from './run-mode.ts';

/** Prints the tables of run mode and of check mode; the exit code says whether every row is within its bar. */
async function main(): Promise<void> {
  console.log(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown CPU'}`);
  const rows = await runModeRows();
  for (const { kernel, samples, ratio, wasmRatio, bar } of rows) {
    console.log(`\n${kernel}: 4 ranks, 16 CTAs x 512 threads, 1048576 f32`);
    for (const sample of samples) {
      const { name, ms } = sample;
      const spread = `${ms[0]?.toFixed(2)} to ${ms.at(-1)?.toFixed(2)}`;
      console.log(`  ${name.padEnd(20)} median ${median(sample).toFixed(2)} ms  (${spread}, ${ms.length} rounds)`);
    }
    console.log(`  ratio to the faster loop: js ${ratio.toFixed(2)} (bar: ${bar}), wasm ${wasmRatio.toFixed(2)}`);
    if (!(ratio <= bar)) process.exitCode = 1;
  }
  console.log('\ncheck mode');
  for (const { what, value, unit, spread, bar, holds } of await checkModeRows()) {
    console.log(`  ${what}: ${value.toFixed(2)} ${unit}${spread === '' ? '' : ` (${spread})`}, bar: ${bar}`);
    if (!holds) process.exitCode = 1;
  }
}

await main();
