import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import type { Problem } from './check-types.ts';
import type { Fence } from './fence.ts';

interface CommandLine {
  readonly file: string;
  readonly line: number;
  readonly words: readonly string[];
}

const command = /(?:^|\s)(?:npx )?(?:nccl-ts|node apps\/cli\/bin\/nccl-ts\.js) ([a-z].*)$/;

/**
 * The command lines of nccl-ts in listings: a line that begins with it, a prompt before it or not.
 */
export function commandLines(fences: readonly Fence[]): readonly CommandLine[] {
  return fences
    .filter(({ language }) => language === 'sh' || language === '')
    .flatMap(({ file, line, code }) =>
      code.split('\n').flatMap((text, index): readonly CommandLine[] => {
        if (!/^(?:\$ )?(?:npx |node apps|nccl-ts )/.test(text)) return [];
        const [, rest] = command.exec(text.replace(/\s+#.*$/, '').split(/ {3,}/)[0] ?? '') ?? [];
        if (rest === undefined) return [];
        const [own = ''] = rest.split(/ (?:--|[|>;&]+) /);
        return [{ file, line: line + index, words: own.split(/\s+/) }];
      }),
    );
}

/** Unknown commands and options, according to the command's own help. */
export function checkCommands(root: string, fences: readonly Fence[]): readonly Problem[] {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  const optionsOf = (name: string): ReadonlySet<string> | undefined => {
    if (!known.has(name)) known.set(name, readOptions(root, name));
    return known.get(name);
  };
  return commandLines(fences).flatMap(({ file, line, words }) => {
    const [name = '', ...rest] = words;
    if (name === 'help') return [];
    const options = optionsOf(name);
    if (options === undefined) return [{ file, line, message: `nccl-ts has no command ${name}` }];
    return rest
      .map((word) => /^--?[A-Za-z][\w-]*/.exec(word)?.[0])
      .filter((word) => word !== undefined && !options.has(word))
      .map((word) => ({ file, line, message: `nccl-ts ${name} has no option ${word}` }));
  });
}

function readOptions(root: string, name: string): ReadonlySet<string> | undefined {
  const bin = join(root, 'apps/cli/bin/nccl-ts.js');
  const { stdout, status } = spawnSync(process.execPath, [bin, name, '--help'], { encoding: 'utf8' });
  // It shows the general help for a command that it does not have.
  if (status !== 0 || !stdout.startsWith(`Usage: nccl-ts ${name} `)) return undefined;
  const [, listed = ''] = stdout.split(/^Options:$/m);
  return new Set([...listed.matchAll(/(?:^|\s)(--?[A-Za-z][\w-]*)/g)].map(([, option = '']) => option));
}
