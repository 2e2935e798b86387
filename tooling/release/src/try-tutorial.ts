import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { followGuide } from '@nccl-ts/fences';
import { run } from './command.ts';
import type { TriedCommand } from './try-commands.ts';

const TUTORIAL = 'docs/tutorial/first-kernel.md';

/**
 * Follows the tutorial of the repository word for word in a new folder. Its packages come from the
 * registry in `npmrc`, in this version.
 */
export async function tryTutorial(root: string, folder: string, npmrc: string, version: string): Promise<TriedCommand> {
  const cwd = join(folder, 'tutorial');
  mkdirSync(cwd);
  writeFileSync(join(cwd, '.npmrc'), npmrc);
  const { problems, commands } = await followGuide(TUTORIAL, readFileSync(join(root, TUTORIAL), 'utf8'), {
    path: cwd,
    install: async (names) => {
      const packages = names.map((name) => (/^(?:@nccl-ts\/|nccl-ts$)/.test(name) ? `${name}@${version}` : name));
      const { status, output } = await run('npm', ['install', ...packages], { cwd });
      return { code: status, output };
    },
    shell: async (command) => {
      const { status, output } = await run('sh', ['-c', command], { cwd, timeout: 120_000 });
      return { code: status, output: output.replaceAll(`${cwd}/`, '') };
    },
  });
  return {
    command: `the ${commands} commands of ${TUTORIAL}`,
    trial:
      problems.length === 0
        ? { ok: true }
        : { ok: false, problem: problems.map(({ line, message }) => `${TUTORIAL}:${line}: ${message}`).join('\n') },
  };
}
