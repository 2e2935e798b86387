/** Follows guides word for word in fresh folders: `npm run guides -- docs/how-to/NAME.md ...`. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { followGuide } from './follow-guide.ts';
import { LinkedFolder } from './linked-folder.ts';

const root = join(import.meta.dirname, '../../../..');
for (const file of process.argv.slice(2)) {
  using folder = new LinkedFolder(basename(file, '.md'));
  const { problems, commands, leftOut } = await followGuide(file, readFileSync(join(root, file), 'utf8'), folder);
  for (const { line, message } of problems) console.error(`${file}:${line}: ${message}`);
  for (const because of leftOut) console.log(`${file}: a block is left out, because ${because}`);
  console.log(`${file}: ${commands} commands, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
