import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * A new folder with the texts of one call, in which programs find nccl-ts and its packages. It is
 * removed with its contents when it is disposed of.
 */
export class ProgramFolder implements Disposable {
  readonly path: string;

  /** Writes the files, by name. */
  constructor(files: Readonly<Record<string, string>>) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), 'nccl-ts-mcp-')));
    const modules = join(this.path, 'node_modules');
    for (const [name, folder] of packageFolders()) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(folder, join(modules, name), 'junction');
    }
    writeFileSync(join(this.path, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.path, name), text);
  }

  /** The text of a file. */
  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The path of the command `nccl-ts`. */
export function commandPath(): string {
  return join(facade(), 'bin/nccl-ts.js');
}

/** The folder of the package nccl-ts, which brings the command. */
function facade(): string {
  return dirname(createRequire(import.meta.url).resolve('nccl-ts/package.json'));
}

/** The folders of nccl-ts and of the packages that it brings, by name. */
function packageFolders(): readonly (readonly [name: string, folder: string])[] {
  const own = facade();
  const require = createRequire(join(own, 'package.json'));
  const manifest: unknown = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  const listed = typeof manifest === 'object' && manifest !== null && 'dependencies' in manifest ? manifest : undefined;
  const names = Object.keys(listed?.dependencies ?? {}).filter((name) => name.startsWith('@nccl-ts/'));
  return [['nccl-ts', own], ...names.map((name) => [name, dirname(require.resolve(`${name}/package.json`))] as const)];
}
