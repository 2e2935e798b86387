/**
 * Reports breaches of the style page in the repository's Markdown, comments, titles of tests and
 * messages: `npm run prose [FOLDER ...]`. `npm run prose -- sample --seed N --count 60` draws
 * random sentences instead, and `npm run prose -- list [FOLDER ...]` prints all of them.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { meanWords } from './prose-problems.ts';
import { repositoryTexts } from './repository-texts.ts';
import { sampleSentences } from './sample.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '60' } },
});
if (positionals[0] === 'sample') {
  const drawn = sampleSentences(repositoryTexts(positionals.slice(1)), Number(values.seed), Number(values.count));
  for (const { file, line, source, text } of drawn) console.log(`${file}:${line}: ${source}: ${text}`);
} else if (positionals[0] === 'list') {
  for (const { file, sentences } of repositoryTexts(positionals.slice(1))) {
    for (const { line, source, text } of sentences) console.log(`${file}:${line}: ${source}: ${text}`);
  }
} else report(positionals);

function report(folders: readonly string[]): void {
  const texts = repositoryTexts(folders);
  let count = 0;
  const problem = (text: string): void => {
    count += 1;
    console.log(text);
  };
  for (const { file, problems } of texts) {
    for (const { line, text } of problems) problem(`${file}:${line}: ${text}`);
  }
  for (const source of ['document', 'help', 'message', 'tsdoc', 'comment', 'title']) {
    const sentences = texts.flatMap((one) => one.sentences.filter((sentence) => sentence.source === source));
    console.log(`${source}: ${sentences.length} sentences, ${meanWords(sentences)?.toFixed(1) ?? 'no'} words each`);
  }
  console.log(`${texts.length} files, ${count} problems`);
  process.exitCode = count === 0 ? 0 : 1;
}
