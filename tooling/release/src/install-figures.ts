import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { at } from '@nccl-ts/core';
import { runOrThrow } from './command.ts';

/** The cost of a package for its user: of its installation, and of an import. */
export interface InstallFigures {
  /** All that `npm install` brings, with the packages of others. */
  readonly packages: number;
  readonly files: number;
  readonly megabytes: number;
  /** The script files that `import` loads. */
  readonly modules: number;
  /** The CPU time of `import`: the median of runs, and the smallest and the largest. */
  readonly importSeconds: { readonly median: number; readonly least: number; readonly most: number };
}

/** The most that an installation of the facade may cost. */
const MOST = { files: 800, megabytes: 14, modules: 40 } as const;

/** Names the figures above their limits. Times differ between machines, so none has a limit. */
export function excessOf(figures: InstallFigures): readonly string[] {
  return (['files', 'megabytes', 'modules'] as const).flatMap((name) =>
    figures[name] > MOST[name] ? [`an installation has ${figures[name]} ${name}, and may have ${MOST[name]}`] : [],
  );
}

const RUNS = 9;

/** Installs a published package alone in a new folder, and measures what it brings. */
export async function installFigures(
  folder: string,
  npmrc: string,
  name: string,
  version: string,
): Promise<InstallFigures> {
  const cwd = join(folder, 'figures');
  mkdirSync(cwd);
  writeFileSync(join(cwd, '.npmrc'), npmrc);
  writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }');
  await runOrThrow('npm', ['install', `${name}@${version}`], { cwd });
  writeFileSync(join(cwd, 'time.mjs'), timeText(name));
  writeFileSync(join(cwd, 'modules.mjs'), modulesText(name));
  const seconds: number[] = [];
  for (let i = 0; i < RUNS; i++) seconds.push(await numberOf('time.mjs', cwd));
  seconds.sort((a, b) => a - b);
  const installed = filesIn(join(cwd, 'node_modules'));
  // One file may have several names.
  const sizes = new Map(installed.map((path) => statSync(path)).map(({ ino, size }) => [ino, size]));
  return {
    packages: installed.filter((path) => path.endsWith('/package.json') && isPackage(path)).length,
    files: installed.length,
    megabytes: Math.round([...sizes.values()].reduce((sum, size) => sum + size, 0) / 1e5) / 10,
    modules: await numberOf('modules.mjs', cwd),
    importSeconds: { median: at(seconds, RUNS >> 1), least: at(seconds, 0), most: at(seconds, RUNS - 1) },
  };
}

/** The figures in a line of text. */
export function figuresText({ packages, files, megabytes, modules, importSeconds }: InstallFigures): string {
  const { median, least, most } = importSeconds;
  return `${packages} packages, ${files} files, ${megabytes} MB; import: ${modules} modules, ${median} s of CPU (${least} to ${most})`;
}

async function numberOf(script: string, cwd: string): Promise<number> {
  return Number(await runOrThrow(process.execPath, [script], { cwd }));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** True for the manifest of an installed package, and not for one somewhere inside. */
function isPackage(manifest: string): boolean {
  return /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/u.test(manifest);
}

const timeText = (name: string): string => `const before = process.cpuUsage();
await import('${name}');
const { user, system } = process.cpuUsage(before);
console.log(((user + system) / 1e6).toFixed(3));
`;

const modulesText = (name: string): string => `import { register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';
const { port1, port2 } = new MessageChannel();
let modules = 0;
port1.on('message', () => modules++).unref();
const hook = \`let port;
export const initialize = (data) => void (port = data);
export const load = (url, context, next) => (url.startsWith('file:') && port.postMessage(url), next(url, context));\`;
register('data:text/javascript,' + encodeURIComponent(hook), { data: port2, transferList: [port2] });
await import('${name}');
await new Promise((resolve) => setTimeout(resolve, 200));
console.log(modules);
`;
