import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ModuleText, type FindsModule } from './module-text.ts';

interface Known {
  readonly stamp: string;
  readonly module: ModuleText | undefined;
}

/** The modules that were read last, by path. An editor lints a file again at each key. */
const known = new Map<string, Known>();
const MOST_KNOWN = 200;

/** Reads a module beside `from`; `undefined` if there is none, or it has errors of syntax. */
export const readModule: FindsModule = (specifier, from) => {
  const path = fileOf(resolve(dirname(from), specifier));
  if (path === undefined) return undefined;
  const { mtimeMs, size } = statSync(path);
  const stamp = `${mtimeMs} ${size}`;
  const before = known.get(path);
  if (before?.stamp === stamp) return before.module;
  if (known.size >= MOST_KNOWN) known.clear();
  // A file that leads back to itself finds no module here.
  known.set(path, { stamp, module: undefined });
  const module = ModuleText.parse(path, readFileSync(path, 'utf8'), readModule);
  known.set(path, { stamp, module });
  return module;
};

/** `./x.js` may be `x.ts`, and `./x` any of them. */
function fileOf(path: string): string | undefined {
  const asTypeScript = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.jsx', '/index.ts', '/index.js'];
  return [path, asTypeScript, ...extensions.map((extension) => path + extension)].find(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
