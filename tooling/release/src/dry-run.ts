import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fencesOf, isProgram } from '@nccl-ts/fences';
import { runOrThrow } from './command.ts';
import { inTurn } from './in-turn.ts';
import { excessOf, figuresText, installFigures, type InstallFigures } from './install-figures.ts';
import { Registry } from './registry.ts';
import { makeRelease, publish } from './release-copy.ts';
import { renderTable } from './render-table.ts';
import { tryCommand, tryCreate, type TriedCommand } from './try-commands.ts';
import { tryTutorial } from './try-tutorial.ts';
import { trialNames, tryPackage } from './try-package.ts';
import { checkTypesEverywhere } from './types-matrix.ts';

export interface DryRunOptions {
  /** The repository. The release uses its last commit. */
  readonly root: string;
  /** The packages to try, although all are published. @default all */
  readonly only?: readonly string[];
  /** The versions of the compiler. */
  readonly typescript: readonly string[];
  /** True to keep the folder. */
  readonly keep: boolean;
  readonly print: (line: string) => void;
  /** Receives what an installation of the facade costs. */
  readonly onFigures?: (figures: InstallFigures) => void;
}

/** The number of projects that are installed and tried at the same time. */
const LANES = 2;

/**
 * Releases into a registry on this machine, tries every package from there as a user would, and
 * returns true if all steps passed.
 */
export async function dryRun({ root, only, typescript, keep, print, onFigures }: DryRunOptions): Promise<boolean> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nccl-ts-release-')));
  const began = performance.now();
  const step = (text: string): void =>
    print(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  try {
    step(`in ${folder}: a clone of the last commit, versions, build, bundles`);
    const release = join(folder, 'release');
    const packages = await makeRelease(root, release);
    const [first] = packages;
    if (first === undefined) throw new Error('There is no package to publish.');
    const { version } = first;
    const others = packages.filter((one) => one.version !== version);
    if (others.length > 0) throw new Error(`not of version ${version}: ${others.map(({ name }) => name).join(', ')}`);
    const unknown = (only ?? []).filter((name) => !packages.some((one) => one.name === name));
    if (unknown.length > 0)
      throw new Error(`cannot try ${unknown.join(', ')}, because no published package has this name`);

    await using registry = await Registry.start(join(folder, 'registry'));
    const cache = join(folder, 'cache');
    // `npm run` sets it, over what .npmrc says. Then `npm create` would take the version of this
    // name and number that an earlier rehearsal has left.
    process.env['npm_config_cache'] = cache;
    step(`publishing ${packages.length} packages of version ${version} to ${registry.url}`);
    await publish(release, registry, cache);

    const projects = join(folder, 'projects');
    mkdirSync(projects);
    const npmrc = registry.npmrc(cache);
    writeFileSync(join(projects, '.npmrc'), npmrc);
    writeFileSync(join(projects, 'package.json'), '{ "private": true }');
    await runOrThrow('npm', ['install', '@types/node@20'], { cwd: projects });

    const chosen = packages.filter(({ name }) => only === undefined || only.includes(name));
    const tried = await inTurn(LANES, chosen, async (one) => {
      const result = await tryPackage(one, projects, npmrc);
      step(one.name);
      return result;
    });
    const commands: TriedCommand[] = [];
    const excess: string[] = [];
    const facade = chosen.find(({ name }) => name === 'nccl-ts');
    if (facade !== undefined) {
      const program = fencesOf('README.md', facade.readme).find(isProgram)?.code ?? '';
      commands.push(...(await tryCommand(folder, npmrc, program, version)));
      step('npx nccl-ts');
      commands.push(await tryTutorial(root, folder, npmrc, version));
      step('the tutorial');
      const figures = await installFigures(folder, npmrc, facade.name, version);
      step(`npm install ${facade.name}: ${figuresText(figures)}`);
      onFigures?.(figures);
      excess.push(...excessOf(figures));
    }
    if (chosen.some(({ name }) => name === 'create-nccl-ts')) {
      commands.push(...(await tryCreate(folder, npmrc, version)));
      step('npm create nccl-ts');
    }
    step(`types: TypeScript ${typescript.join(', ')}`);
    const types = await checkTypesEverywhere(
      projects,
      tried.map(({ project }) => project),
      typescript,
    );
    step('done');

    const { table, problems: failed } = renderTable(tried, commands, types);
    const problems = [...failed, ...excess];
    print(`\n${table}`);
    for (const problem of problems) print(`\n${problem}`);
    const trials = tried.length * trialNames.length + commands.length + tried.length * types.combinations;
    print(
      `\n${chosen.length} packages of version ${version}, ${trials} trials: ${problems.length === 0 ? 'all went well' : `${problems.length} FAILED`}`,
    );
    return problems.length === 0;
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}
