import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { Problem } from './check-types.ts';
import type { Fence } from './fence.ts';

interface CommandLine {
  readonly file: string;
  readonly line: number;
  readonly words: readonly string[];
}

const command = /(?:^|\s)(?:npx )?(?:nccl-ts|node apps\/cli\/bin\/nccl-ts\.js) ([a-z].*)$/;

/**
 * The command lines of nccl-ts in listings. Such a line begins with the command or with a prompt
 * before it.
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

/** Reports unknown commands and options, according to the command's own help. */
export function checkCommands(root: string, fences: readonly Fence[]): readonly Problem[] {
  const lines = commandLines(fences).filter(({ words: [name] }) => name !== 'help');
  const known = readOptions(root, new Set(lines.map(({ words: [name = ''] }) => name)));
  return lines.flatMap(({ file, line, words }) => {
    const [name = '', ...rest] = words;
    const options = known.get(name);
    if (options === undefined) return [{ file, line, message: `nccl-ts has no command ${name}` }];
    return rest
      .map((word) => /^--?[A-Za-z][\w-]*/.exec(word)?.[0])
      .filter((word) => word !== undefined && !options.has(word))
      .map((word) => ({ file, line, message: `nccl-ts ${name} has no option ${word}` }));
  });
}

/** The separator between the help texts of two commands. */
const END = '\u0000';

/**
 * The options of each command. One process prints the help of all, because starting it takes most
 * of the time.
 */
function readOptions(root: string, names: ReadonlySet<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const commandLine = pathToFileURL(join(root, 'apps/cli/dist/command-line.js')).href;
  const program = `
    import { runCommandLine } from ${JSON.stringify(commandLine)};
    for (const name of ${JSON.stringify([...names])}) {
      await runCommandLine(['node', 'nccl-ts', name, '--help']);
      process.stdout.write(${JSON.stringify(END)});
    }`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The command's help cannot be read: ${stderr}`);
  const texts = stdout.split(END);
  return new Map(
    [...names].flatMap((name, at) => {
      // The CLI prints its general help for an unknown command.
      const text = texts[at] ?? '';
      if (!text.startsWith(`Usage: nccl-ts ${name} `)) return [];
      const [, listed = ''] = text.split(/^Options:$/m);
      const options = [...listed.matchAll(/(?:^|\s)(--?[A-Za-z][\w-]*)/g)].map(([, option = '']) => option);
      return [[name, new Set(options)] as const];
    }),
  );
}
