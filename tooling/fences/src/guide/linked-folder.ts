import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { property } from '../property.ts';
import { CommandProcess } from './command-process.ts';
import type { GuideFolder, GuideOutcome } from './follow-guide.ts';

const root = join(import.meta.dirname, '../../../..');

/** The folder in which this checkout's packages and their dependencies are linked. */
const sources = [
  join(import.meta.dirname, '../../node_modules'),
  join(root, 'node_modules'),
  ...readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'node_modules')),
];

/**
 * Creates a folder outside this checkout. Its installed packages are links to the packages of this
 * checkout.
 */
export class LinkedFolder implements GuideFolder, Disposable {
  readonly path: string;
  readonly #commands: CommandProcess;

  constructor(name: string) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), `nccl-ts-${name}-`)));
    this.#commands = new CommandProcess(this.path, usersEnvironment());
    // As `npm init -y` writes it: a reader who follows a page has no other.
    writeFileSync(join(this.path, 'package.json'), '{ "name": "guide", "version": "1.0.0", "type": "commonjs" }\n');
  }

  install(packages: readonly string[]): GuideOutcome {
    const modules = join(this.path, 'node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    for (const name of packages) {
      const source = sources.map((folder) => join(folder, name)).find((at) => existsSync(at));
      if (source === undefined) return { code: 1, output: `this checkout has no package ${name}` };
      if (existsSync(join(modules, name))) continue;
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(source, join(modules, name), 'junction');
      const manifest: unknown = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
      const bin = property(manifest, 'bin');
      const commands = typeof bin === 'string' ? { [name]: bin } : typeof bin === 'object' && bin !== null ? bin : {};
      for (const [command, file] of Object.entries<unknown>({ ...commands })) {
        if (!existsSync(join(modules, '.bin', command)))
          symlinkSync(join('..', name, String(file)), join(modules, '.bin', command));
      }
    }
    if (packages.includes('vitest')) this.#leaveLinkedPackagesToNode();
    return { code: 0, output: '' };
  }

  /**
   * Vitest transforms each file that is outside of `node_modules`, as those that links lead to are.
   * That takes four times as long as the rest of its run, and no user has such packages.
   */
  #leaveLinkedPackagesToNode(): void {
    const external = String.raw`[/\/packages\/[^/]+\/dist\//]`;
    writeFileSync(
      join(this.path, 'vitest.config.mjs'),
      `export default { test: { server: { deps: { external: ${external} } } } };\n`,
    );
  }

  /**
   * Runs a line of a page as in a user's shell, in which no test runner has set anything. Lines of
   * `nccl-ts` share a process if they need no shell.
   */
  async shell(command: string): Promise<GuideOutcome> {
    const [, words] = /^npx nccl-ts ([\w./,= -]+)$/.exec(command) ?? [];
    const { code, output } =
      words !== undefined && existsSync(join(this.path, 'node_modules/.bin/nccl-ts'))
        ? await this.#commands.run(words.split(' '))
        : this.#inShell(command);
    return { code, output: output.replaceAll(`${this.path}/`, '') };
  }

  #inShell(command: string): GuideOutcome {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', this.#direct(command)], {
      cwd: this.path,
      encoding: 'utf8',
      env: usersEnvironment(),
    });
    return { code: status, output: `${stdout}${stderr}` };
  }

  /**
   * Replaces npx by the file of the installed command, which npx would start. Finding that file
   * takes npx longer than many commands run. The trial of a release uses npx itself.
   */
  #direct(command: string): string {
    return command.replace(/^npx ([\w-]+)/, (whole, name: string) =>
      existsSync(join(this.path, 'node_modules/.bin', name)) ? `./node_modules/.bin/${name}` : whole,
    );
  }

  [Symbol.dispose](): void {
    this.#commands.stop();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The environment of a user, without what a test runner sets. */
function usersEnvironment(): Readonly<Record<string, string | undefined>> {
  const { VITEST: _, NODE_OPTIONS: __, FORCE_COLOR: ___, ...others } = process.env;
  return { ...others, NO_COLOR: '1', npm_config_offline: 'true', npm_config_update_notifier: 'false' };
}
