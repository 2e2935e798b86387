import { join } from 'node:path';
import process from 'node:process';
import { checkFences } from './check-fences.ts';
import { otherLanguages } from './other-languages.ts';

const { programs, others, problems } = checkFences(join(import.meta.dirname, '../../..'));

for (const { fence, row } of programs) {
  const place = `${fence.file}:${fence.line}`;
  console.log(`${place.padEnd(48)} type-checked, ${row?.notRun === undefined ? 'run' : `not run: ${row.notRun}`}`);
}
console.log('');
for (const language of [...others.keys()].toSorted()) {
  console.log(
    `${String(others.get(language)).padStart(4)} ${(language === '' ? '(none)' : language).padEnd(8)} ${otherLanguages[language] ?? ''}`,
  );
}
const ran = programs.filter(({ row }) => row?.notRun === undefined).length;
console.log(`\n${programs.length} programs type-checked, ${ran} of them run; ${problems.length} problems`);
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
process.exitCode = problems.length === 0 ? 0 : 1;
