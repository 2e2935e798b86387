import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeTexts } from './code-texts.ts';
import { isWritten, markdownFiles } from './markdown-files.ts';
import { root } from './repository-files.ts';
import { codeProblems, proseProblems, sentencesInCode, type ProseProblem } from './prose-problems.ts';
import { sentencesOf, type Sentence } from './sentences.ts';
import { typescriptFiles } from './typescript-files.ts';

/** The group of texts that a sentence belongs to. */
export type TextGroup = 'document' | 'help' | 'message' | 'tsdoc' | 'comment' | 'title';

export interface FileWords {
  readonly file: string;
  readonly sentences: readonly (Sentence & { readonly source: TextGroup })[];
  readonly problems: readonly ProseProblem[];
}

/** The sentences and the problems of all documents and sources, or of those in some folders. */
export function repositoryTexts(folders: readonly string[] = []): readonly FileWords[] {
  const isWanted = (file: string): boolean => folders.length === 0 || folders.some((folder) => file.startsWith(folder));
  return [
    ...markdownFiles()
      .filter(isWritten)
      .filter(isWanted)
      .map((file) => documentWords(file, readFileSync(join(root, file), 'utf8'))),
    ...typescriptFiles()
      .filter(isWanted)
      .map((file) => sourceWords(file, readFileSync(join(root, file), 'utf8'))),
  ];
}

function documentWords(file: string, text: string): FileWords {
  const sentences = sentencesOf(text).map((sentence) => ({ ...sentence, source: 'document' as const }));
  return { file, sentences, problems: proseProblems(text) };
}

function sourceWords(file: string, text: string): FileWords {
  const sentences = codeTexts(file, text).flatMap((one) => {
    const source: TextGroup = one.kind === 'message' && file.startsWith('apps/cli/') ? 'help' : one.kind;
    return one.kind === 'title'
      ? [{ line: one.line, text: one.text, words: one.text.split(/\s+/).length, source }]
      : sentencesInCode(one).map((sentence) => ({ ...sentence, source }));
  });
  return { file, sentences, problems: codeProblems(file, text) };
}
