import { fencesOf, type Fence } from '../fence.ts';

/** A step that a reader of a guide makes. */
export type GuideStep =
  | { readonly kind: 'install'; readonly packages: readonly string[]; readonly line: number }
  | { readonly kind: 'write'; readonly file: string; readonly text: string; readonly line: number }
  | { readonly kind: 'edit'; readonly file: string | undefined; readonly hunk: GuideHunk; readonly line: number }
  | { readonly kind: 'run'; readonly command: string; readonly exit: number; readonly line: number }
  | { readonly kind: 'expect'; readonly text: string; readonly line: number }
  | { readonly kind: 'leave out'; readonly because: string; readonly line: number };

/** The lines of a file before and after an edit. */
export interface GuideHunk {
  readonly before: string;
  readonly after: string;
}

/**
 * The steps of a guide, from its code blocks:
 *
 * - A block after a line that ends with a file's name and a colon is that file.
 * - A `diff` block edits the file that is named in this way, or otherwise the last written file.
 * - Each line of an `sh` block is run, and a `text` block after it is a part of its output.
 * - The comment `<!-- guide: exit 1 -->` before an `sh` block sets the expected exit code of its
 *   last line.
 * - The comment `<!-- guide: not run, because ... -->` before any block skips it.
 */
export function guideSteps(file: string, markdown: string): readonly GuideStep[] {
  const lines = markdown.split('\n');
  const steps: GuideStep[] = [];
  let from = 0;
  for (const fence of fencesOf(file, markdown)) {
    const before = lines.slice(from, fence.line - 2).join('\n');
    from = fence.line + fence.code.split('\n').length;
    steps.push(...stepsOf(fence, before));
  }
  return steps;
}

function stepsOf({ language, code, line }: Fence, before: string): readonly GuideStep[] {
  const [, because] = /<!-- guide: not run, because ([^>]*?) -->\s*$/.exec(before) ?? [];
  if (because !== undefined) return [{ kind: 'leave out', because, line }];
  if (language === 'text') return [{ kind: 'expect', text: code, line }];
  const [, name] = /`([\w./-]+\.\w+)`:\s*$/.exec(before) ?? [];
  if (language === 'diff') return [{ kind: 'edit', file: name, hunk: hunkOf(code), line }];
  if (language === 'sh') {
    const [, exit = '0'] = /<!-- guide: exit (\d+) -->\s*$/.exec(before) ?? [];
    const commands = code.split('\n').filter((command) => command.trim() !== '');
    return commands.map((command, index) => {
      const [, packages] = /^npm install ((?:[^\s;&|]+ ?)+)$/.exec(command) ?? [];
      if (packages !== undefined) {
        return { kind: 'install', packages: packages.split(' ').filter((word) => !word.startsWith('-')), line };
      }
      return { kind: 'run', command, exit: index === commands.length - 1 ? Number(exit) : 0, line: line + index };
    });
  }
  return name === undefined ? [] : [{ kind: 'write', file: name, text: `${code}\n`, line }];
}

function hunkOf(code: string): GuideHunk {
  const side = (sign: string): string =>
    code
      .split('\n')
      .filter((text) => text.startsWith(sign) || text === '' || text.startsWith(' '))
      .map((text) => `${text.slice(1)}\n`)
      .join('');
  return { before: side('-'), after: side('+') };
}
