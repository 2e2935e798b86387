/** Reports what the style page forbids in the repository's Markdown: `npm run prose [FOLDER ...]`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { isWritten, markdownFiles, root } from './markdown-files.ts';
import { MEAN_WORDS, meanWords, proseProblems } from './prose-problems.ts';

const [...folders] = process.argv.slice(2);
const files = markdownFiles().filter(
  (file) => isWritten(file) && (folders.length === 0 || folders.some((folder) => file.startsWith(folder))),
);
const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
let count = 0;
for (const { file, text } of texts) {
  for (const problem of proseProblems(text)) {
    count++;
    console.log(`${file}:${problem.line}: ${problem.text}`);
  }
  const mean = meanWords([text]);
  if (mean !== undefined && mean > MEAN_WORDS) console.log(`${file}: ${mean.toFixed(1)} words a sentence`);
}
const mean = meanWords(texts.map(({ text }) => text));
console.log(`${files.length} files, ${count} problems, ${mean?.toFixed(1) ?? 'no'} words a sentence`);
process.exitCode = count === 0 ? 0 : 1;
