import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutProgress, type Outcome } from './command.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');

/** A new folder of a user's, outside this checkout. */
export class FreshFolder {
  readonly path: string;

  constructor(name: string) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), `nccl-ts-${name}-`)));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.path, file), text);
  }

  /**
   * Creates the files that `npm install` of these packages creates, with links to this checkout.
   * `packages`: their folders there, by name. The first one brings the command.
   */
  install(packages: Readonly<Record<string, string>>): void {
    const modules = join(this.path, 'node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    for (const [name, folder] of Object.entries(packages)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, folder), join(modules, name));
    }
    const [first] = Object.entries(packages);
    if (first === undefined) throw new RangeError('no package to install');
    const [name, folder] = first;
    symlinkSync(`../${name}/bin/nccl-ts.js`, join(modules, '.bin/nccl-ts'));
    chmodSync(join(root, folder, 'bin/nccl-ts.js'), 0o755);
    const dependencies = Object.fromEntries(Object.keys(packages).map((each) => [each, '*']));
    this.write('package.json', JSON.stringify({ dependencies }));
  }

  /**
   * Runs a line of a page in a shell. It finds programs in `bin` of the folder first, and no
   * compiler that the environment names.
   */
  shell(command: string): Outcome {
    const { NCCLTS_NVCC: _, ...others } = process.env;
    const path = [join(this.path, 'bin'), process.env['PATH']].join(delimiter);
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: this.path,
      encoding: 'utf8',
      env: { ...others, PATH: path, npm_config_offline: 'true', npm_config_update_notifier: 'false' },
    });
    return { code: status, stdout, stderr: withoutProgress(stderr) };
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
