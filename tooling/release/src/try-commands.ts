import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { trialOf, type Trial } from './try-package.ts';

/** A command as a user types it, in a separate folder. */
export interface TriedCommand {
  readonly command: string;
  readonly trial: Trial;
}

/**
 * `npx nccl-ts check` of the first program of the package's README, in the project where it is
 * installed and in an empty folder.
 */
export async function tryCommand(
  folder: string,
  npmrc: string,
  program: string,
  version: string,
): Promise<readonly TriedCommand[]> {
  const cwd = join(folder, 'npx');
  mkdirSync(cwd);
  writeFileSync(join(cwd, '.npmrc'), npmrc);
  writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }');
  const tried: TriedCommand[] = [];
  const attempt = async (...words: readonly string[]): Promise<void> => {
    tried.push({ command: words.join(' '), trial: trialOf(await run(words[0] ?? '', words.slice(1), { cwd })) });
  };
  await attempt('npx', '--yes', `nccl-ts@${version}`, '--version');
  await attempt('npm', 'install', `nccl-ts@${version}`);
  writeFileSync(join(cwd, 'to-next.mjs'), program);
  await attempt('npx', 'nccl-ts', 'check', 'to-next.mjs', '--grid', '1', '--arg', 'count=256');
  return tried;
}

/** `npm create nccl-ts`, and the commands of its project. */
export async function tryCreate(folder: string, npmrc: string, version: string): Promise<readonly TriedCommand[]> {
  const parent = join(folder, 'create');
  const cwd = join(parent, 'my-kernels');
  mkdirSync(parent);
  writeFileSync(join(parent, '.npmrc'), npmrc);
  const tried: TriedCommand[] = [];
  const attempt = async (at: string, ...words: readonly string[]): Promise<void> => {
    tried.push({ command: words.join(' '), trial: trialOf(await run(words[0] ?? '', words.slice(1), { cwd: at })) });
  };
  await attempt(parent, 'npm', 'create', '--yes', `nccl-ts@${version}`, 'my-kernels');
  if (!existsSync(cwd)) return tried;
  // npm treats files whose names begin with a dot differently.
  const missing = ['.gitignore', '.github/workflows/check.yml'].filter((file) => !existsSync(join(cwd, file)));
  if (missing.length > 0) {
    tried.push({ command: 'its files', trial: { ok: false, problem: `there is no ${missing.join(', ')}` } });
  }
  writeFileSync(join(cwd, '.npmrc'), npmrc);
  await attempt(cwd, 'npm', 'install');
  await attempt(cwd, 'npm', 'run', 'typecheck');
  await attempt(cwd, 'npm', 'run', 'lint');
  await attempt(cwd, 'npm', 'start');
  await attempt(cwd, 'npm', 'test');
  await attempt(cwd, 'npm', 'run', 'check', '--', '--sarif', 'check.sarif');
  return tried;
}
