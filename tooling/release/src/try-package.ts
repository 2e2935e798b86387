import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beginningOf, fencesOf, fenceTable, isProgram, javascriptOf, property } from '@nccl-ts/fences';
import { run, type CommandOutcome } from './command.ts';
import { installLine, type PublishedPackage } from '@nccl-ts/packaging';
import { requireForm } from './require-form.ts';
import type { TypedProject } from './types-matrix.ts';

/** The result of a trial: success, an error, or the reason why it was skipped. */
export type Trial =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: string }
  | { readonly ok: undefined; readonly because: string };

export const trialNames = ['files', 'install', 'import', 'require', 'command', 'program', 'as require'] as const;
export type TrialName = (typeof trialNames)[number];

export interface TriedPackage {
  readonly name: string;
  readonly trials: ReadonlyMap<TrialName, Trial>;
  readonly project: TypedProject;
}

const fine: Trial = { ok: true };

/**
 * Installs only this package from the registry in `npmrc` into a separate project under `folder`.
 * Imports and requires all of it, and then installs and runs the first program of its README.
 */
export async function tryPackage(published: PublishedPackage, folder: string, npmrc: string): Promise<TriedPackage> {
  const { name, version, readme } = published;
  const entries = published.entries
    .filter((entry) => !isOptional(published, entry.name))
    .map((entry) => `${name}${entry.name.slice(1)}`);
  const directory = name.replace('@nccl-ts/', '');
  const cwd = join(folder, directory);
  const trials = new Map<TrialName, Trial>();
  mkdirSync(cwd);
  const write = (file: string, text: string): void => writeFileSync(join(cwd, file), text);
  write('package.json', JSON.stringify({ name: 'project', private: true, type: 'module' }));
  write('.npmrc', npmrc);
  const nodeIn = async (at: string, ...words: readonly string[]): Promise<Trial> =>
    trialOf(await run(process.execPath, words, { cwd: join(cwd, at), timeout: 120_000 }));
  const node = async (...words: readonly string[]): Promise<Trial> => nodeIn('.', ...words);

  trials.set('install', trialOf(await run('npm', ['install', `${name}@${version}`], { cwd })));
  trials.set('files', filesOf(join(cwd, 'node_modules', name), version));
  write(
    'alone.mjs',
    entries
      .map(
        (entry, i) =>
          `import * as entry${i} from '${entry}';\nif (Object.keys(entry${i}).length === 0) throw new Error('${entry} is empty');\n`,
      )
      .join(''),
  );
  write(
    'alone.cjs',
    entries
      .map((entry) => `if (Object.keys(require('${entry}')).length === 0) throw new Error('${entry} is empty');\n`)
      .join(''),
  );
  const types = entries
    .map(
      (entry, i) =>
        `import * as entry${i} from '${entry}';\nexport const names${i}: readonly string[] = Object.keys(entry${i});\n`,
    )
    .join('');
  write('alone.ts', types);
  write('alone.cts', types);
  trials.set('import', await node('alone.mjs'));
  trials.set('require', await node('alone.cjs'));

  const [command] = published.commands;
  const shown = command === undefined ? undefined : await run('npx', [command, '--help'], { cwd });
  trials.set('command', shown === undefined ? { ok: undefined, because: 'it has no command' } : trialOf(shown));

  const fence = fencesOf(`${published.path}/README.md`, readme).find(isProgram);
  // npm create does not need an installed package.
  const line = installLine(readme) ?? [name];
  const modules = ['alone.ts'];
  if (fence === undefined) {
    const because = 'its README shows no program';
    trials.set('program', { ok: undefined, because }).set('as require', { ok: undefined, because });
  } else {
    const row = fenceTable.find((one) => one.file === fence.file && one.begins === beginningOf(fence));
    const own = line.map((word) => (/^(?:@nccl-ts\/|(?:create-)?nccl-ts$)/.test(word) ? `${word}@${version}` : word));
    const installed = trialOf(await run('npm', ['install', ...own], { cwd }));
    const isTest = fence.code.includes("from 'vitest'");
    const file = isTest ? 'first.test.ts' : `first.${fence.language === 'js' ? 'mjs' : 'ts'}`;
    write(file, `${fence.code}\n`);
    modules.push(file);
    const code = javascriptOf(`${fence.code}\n`, fence.language);
    // Each in its own folder, because some write files.
    for (const form of ['as-module', 'as-require']) mkdirSync(join(cwd, form));
    write('as-module/first.mjs', code);
    write('as-require/first.cjs', requireForm(code));
    if (installed.ok !== true) trials.set('program', installed).set('as require', installed);
    else if (isTest) {
      const vitest = join(cwd, 'node_modules/vitest/vitest.mjs');
      trials.set('program', await node(vitest, 'run', file));
      trials.set('as require', { ok: undefined, because: 'vitest cannot be required' });
    } else if (row?.notRun !== undefined) {
      const because = row.notRun;
      trials.set('program', { ok: undefined, because }).set('as require', { ok: undefined, because });
    } else {
      trials.set('program', await nodeIn('as-module', 'first.mjs'));
      trials.set('as require', await nodeIn('as-require', 'first.cjs'));
    }
  }
  return { name, trials, project: { folder: directory, modules, commonModules: ['alone.cts'] } };
}

/**
 * True for an entry for users of another package, which has its name:
 * `@nccl-ts/conformance/vitest`.
 */
function isOptional({ manifest }: PublishedPackage, entry: string): boolean {
  return property(manifest, 'peerDependenciesMeta', entry.slice('./'.length), 'optional') === true;
}

export function trialOf({ status, output }: CommandOutcome): Trial {
  return status === 0 ? fine : { ok: false, problem: output.trim() };
}

/** The files that every tarball must contain. */
function filesOf(installed: string, version: string): Trial {
  const missing = ['README.md', 'LICENSE', 'NOTICE', 'package.json'].filter(
    (file) => !existsSync(join(installed, file)),
  );
  if (missing.length > 0) return { ok: false, problem: `the tarball lacks ${missing.join(', ')}` };
  const manifest = readFileSync(join(installed, 'package.json'), 'utf8');
  if (!manifest.includes(`"version": "${version}"`)) return { ok: false, problem: `its version is not ${version}` };
  if (/"(workspace|catalog):/.test(manifest))
    return { ok: false, problem: 'it depends on something that only this repository has' };
  return fine;
}
