import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { textAt } from '@nccl-ts/fences';
import { run, runOrThrow } from './command.ts';

/** The TypeScript versions with which a release is checked: the newest of each. */
export const typescriptVersions = ['5.7.3', '5.8.3', '5.9.3', '6.0.3', '7.0.2'] as const;

const resolutions = [
  { name: 'node16', options: { module: 'node16', moduleResolution: 'node16' } },
  { name: 'nodenext', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
  { name: 'bundler', options: { module: 'esnext', moduleResolution: 'bundler' } },
  // Most projects do not check the declarations of libraries. Ours must be valid even if they do.
  {
    name: 'libraries',
    options: {
      module: 'nodenext',
      moduleResolution: 'nodenext',
      skipLibCheck: false,
      lib: ['es2023', 'esnext.disposable', 'dom'],
    },
  },
] as const;

/** The files of a project whose types are checked. */
export interface TypedProject {
  /** The path from the folder of all projects. */
  readonly folder: string;
  readonly modules: readonly string[];
  /** True for CommonJS settings, which load packages by `require`. */
  readonly commonModules: readonly string[];
}

export interface TypeProblem {
  /** The name of the combination, such as `5.7.3 node16`. */
  readonly where: string;
  /** The path of the project, from the common folder. */
  readonly folder: string;
  readonly message: string;
}

/** The declarations of packages that are not ours. */
const foreign = /node_modules\/(?!@nccl-ts\/|nccl-ts\/|create-nccl-ts\/)[^(]*\(/;

/**
 * Checks all projects at once, with each compiler in each resolution, and returns the problems and
 * the number of combinations.
 */
export async function checkTypesEverywhere(
  folder: string,
  projects: readonly TypedProject[],
  versions: readonly string[],
): Promise<{ readonly problems: readonly TypeProblem[]; readonly combinations: number }> {
  const problems: TypeProblem[] = [];
  let combinations = 0;
  for (const version of versions) {
    const tsc = await installedCompiler(folder, version);
    for (const { name, options } of resolutions) {
      // Before 5.8, and with node16, TypeScript does not let a CommonJS file require an ES module,
      // although Node does.
      const common = name === 'nodenext' && !version.startsWith('5.7');
      const files = projects.flatMap((project) =>
        [...project.modules, ...(common ? project.commonModules : [])].map((file) => `${project.folder}/${file}`),
      );
      combinations += 1;
      const config = `tsconfig.${version}.${name}.json`;
      const compilerOptions = {
        target: 'es2022',
        types: ['node'],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowJs: true,
        checkJs: true,
        ...options,
      };
      writeFileSync(join(folder, config), JSON.stringify({ compilerOptions, files }));
      const { status, output } = await run(process.execPath, [tsc, '-p', config, '--pretty', 'false'], { cwd: folder });
      const messages = [...output.matchAll(/^([^\s(]+)\(\d+,\d+\): .*(?:\n .*)*/gm)];
      const found = messages
        .filter(([message]) => !foreign.test(message.split(':')[0] ?? ''))
        .map(([message, path = '']) => ({
          where: `${version} ${name}`,
          folder: projects.find((project) => path.startsWith(`${project.folder}/`))?.folder ?? '',
          message,
        }));
      problems.push(...found);
      if (status !== 0 && messages.length === 0)
        problems.push({ where: `${version} ${name}`, folder: '', message: output });
    }
  }
  return { problems, combinations };
}

async function installedCompiler(folder: string, version: string): Promise<string> {
  const home = join(folder, `typescript-${version}`);
  if (!existsSync(home)) {
    await runOrThrow('npm', ['install', '--prefix', home, '--no-save', `typescript@${version}`], { cwd: folder });
  }
  const installed = join(home, 'node_modules/typescript');
  return join(installed, textAt(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')), 'bin', 'tsc') ?? '');
}
