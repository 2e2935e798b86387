import type { Colors } from '../output/colors.ts';
import type { ExplainedCode, CodeGroup } from './explanations.ts';
import type { Explanation } from './explanation.ts';

const WIDTH = 80;

/** Returns the explanation of one code, for people. */
export function explainText(code: ExplainedCode, explanation: Explanation, colors: Colors): string {
  const { title, meaning, example, fix, instead } = explanation;
  const parts = [`${colors.bold(code)}: ${title}`, wrapped(meaning)];
  if (example !== undefined) parts.push(`${colors.red('For example:')}\n\n${indented(example)}`);
  parts.push(`${colors.cyan('To fix it:')}\n\n${wrapped(fix, '  ')}`);
  if (instead !== undefined) parts.push(indented(instead));
  return parts.join('\n\n');
}

/** A line for each code. */
export function codeListText(groups: readonly CodeGroup[], colors: Colors): string {
  return groups
    .map(({ title, codes }) => {
      const width = Math.max(...[...codes.keys()].map((code) => code.length));
      const lines = [...codes].map(([code, explanation]) => `  ${code.padEnd(width)}  ${explanation.title}`);
      return [colors.bold(title), ...lines].join('\n');
    })
    .join('\n\n');
}

/** Returns the reference page of all codes, as Markdown. */
export function codesPage(groups: readonly CodeGroup[]): string {
  const head = [
    '# Codes',
    '',
    'The meaning of each code of an error, report or finding, and how to fix it. `nccl-ts explain CODE` prints an entry in a terminal.',
    '`nccl-ts explain --markdown` generates this page from the tables in `apps/cli/src/explain` and `packages/findings`.',
  ];
  const sections = groups.flatMap(({ title, where, codes }) => [
    '',
    `## ${title}`,
    '',
    where,
    ...[...codes].flatMap(([code, explanation]) => ['', ...entry(code, explanation)]),
  ]);
  return `${[...head, ...sections].join('\n')}\n`;
}

function entry(code: ExplainedCode, { title, meaning, example, fix, instead }: Explanation): readonly string[] {
  const lines = [`### ${code}`, '', `**${title}**`, '', meaning];
  if (example !== undefined) lines.push('', ...fenced(example));
  lines.push('', fix);
  if (instead !== undefined) lines.push('', ...fenced(instead));
  return lines;
}

/**
 * Not marked as TypeScript, because most of these are parts of kernels, and some are wrong on
 * purpose.
 */
function fenced(text: string): readonly string[] {
  return ['```text', ...text.split('\n'), '```'];
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

function wrapped(text: string, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => `${indent}${one}`).join('\n');
}
