/**
 * Writes the launches of all fixtures, with their input bytes and expected output bytes, for
 * `run-on-gpu.py`:
 *
 *     npx tsx --conditions=@nccl-ts/source \
 *       packages/ptx/test/hardware/export-fixtures.ts .gpu/ptx-fixtures
 */
import { matchingEntries } from '@nccl-ts/ptx';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtures, type KernelFixture } from '../fixtures/index.ts';
import { bytesOf, readFixture } from '../support/run-fixture.ts';

function launchOf(fixture: KernelFixture): object {
  const module = readFixture(fixture.name);
  const entry = matchingEntries(module, fixture.entry)[0];
  if (entry === undefined) throw new Error(`${fixture.name} has no ${fixture.entry}`);
  const { name, grid, block, dynamicShared = 0 } = fixture;
  const args = fixture.args.map((arg) => {
    if ('words' in arg) return { value: hex(new Uint8Array(Uint32Array.from(arg.words).buffer)) };
    const tolerance = arg.tolerance === undefined ? {} : { tolerance: arg.tolerance };
    return {
      ...tolerance,
      memory: hex(bytesOf(arg.type, arg.values)),
      after: hex(bytesOf(arg.type, arg.expected ?? arg.values)),
    };
  });
  return {
    name,
    target: Number(/^sm_(\d+)/.exec(module.target)?.[1]),
    entry: entry.name,
    grid,
    block,
    dynamicShared,
    args,
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder to write to.');
mkdirSync(folder, { recursive: true });
for (const { name } of fixtures) writeFileSync(join(folder, `${name}.ptx`), readFixture(name).text);
writeFileSync(join(folder, 'launches.json'), JSON.stringify(fixtures.map(launchOf), undefined, 1));
process.stdout.write(`${fixtures.length} launches are in ${folder}\n`);
