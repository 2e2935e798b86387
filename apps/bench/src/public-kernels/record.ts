import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { option } from '../option.ts';
import { chosenKernels } from './chosen-kernels.ts';
import { launchRecord } from './launch-record.ts';
import { ptxFolder } from './ptx-folder.ts';

/*
 * Records the launches of published kernels for native/recorded-launches.cu:
 *
 *     node apps/bench/dist/public-kernels/record.js --ptx FOLDER --out FOLDER
 *
 * --kernels NAME,... chooses kernels, `--what-ifs all` takes their changes instead, and -b 1024 -e
 * 16777216 sizes. The folder then has a file KERNEL-BYTES.launches for each size, and the PTX that
 * they name.
 */

const [folder, out] = [option('--ptx'), option('--out')];
if (folder === undefined || out === undefined) throw new RangeError('--ptx FOLDER and --out FOLDER are needed.');
mkdirSync(out, { recursive: true });
const texts = ptxFolder(folder, option('--relaxed'));
const files = new Set<string>();
for (const { name, bytes, harness } of chosenKernels()) {
  const record = launchRecord(harness, texts, 2);
  writeFileSync(join(out, `${name}-${bytes}.launches`), record.text);
  for (const file of record.files) files.add(file);
  console.log(`${name} ${bytes}`);
}
for (const file of files) writeFileSync(join(out, file), texts(file).text);
