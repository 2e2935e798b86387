import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { compileFunction } from 'node:vm';

/** True for a file, or the URL of one, with TypeScript in it. */
export function isTypeScript(file: string | undefined): boolean {
  return file !== undefined && /\.[mc]?ts(?:\?|$)/u.test(file);
}

/** JavaScript that this Node can run, with a source map. */
export interface JavaScriptText {
  readonly format: 'module' | 'commonjs';
  readonly text: string;
}

/**
 * Transforms a TypeScript file, or another text of it. Nothing checks its types.
 *
 * @throws SyntaxError with the file, the line and the column.
 */
export function javaScriptOf(file: string, source: string = readFileSync(file, 'utf8')): JavaScriptText {
  // Many processes meet no TypeScript, and need not load its compiler.
  const oxc: unknown = createRequire(import.meta.url)('oxc-transform');
  if (!isOxc(oxc)) throw new TypeError('oxc-transform has no transformSync.');
  const { code, map, errors } = oxc.transformSync(file, source, {
    lang: 'ts',
    sourcemap: true,
    target: `node${process.versions.node}`,
    decorator: { legacy: true },
  });
  const [error] = errors;
  if (error !== undefined) {
    const [label] = error.labels;
    const told = new SyntaxError(
      `${error.message} at ${file}${label === undefined ? '' : placeText(source, label.start)}`,
    );
    // The author has nothing from the calls that lead here.
    told.stack = String(told);
    throw told;
  }
  const sourceMap = map === undefined ? '' : `\n//# sourceMappingURL=data:application/json;base64,${base64(map)}`;
  return { format: formatOf(file, code), text: `${code}${sourceMap}` };
}

function isOxc(value: unknown): value is typeof import('oxc-transform') {
  return typeof value === 'object' && value !== null && 'transformSync' in value;
}

/** The line and the column of an offset, both from 1, with a colon before each. */
function placeText(source: string, offset: number): string {
  const before = source.slice(0, offset);
  return `:${before.split('\n').length}:${offset - before.lastIndexOf('\n')}`;
}

function base64(map: object): string {
  return Buffer.from(JSON.stringify(map)).toString('base64');
}

/** Authors of TypeScript write `import` in projects of every type, so the text decides. */
function formatOf(file: string, code: string): JavaScriptText['format'] {
  if (file.endsWith('.mts') || isOfModules(dirname(file))) return 'module';
  if (file.endsWith('.cts')) return 'commonjs';
  try {
    compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname']);
    return 'commonjs';
  } catch {
    return 'module';
  }
}

/** True if the nearest package.json says that its files are modules. */
function isOfModules(folder: string): boolean {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return dirname(folder) !== folder && isOfModules(dirname(folder));
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return typeof manifest === 'object' && manifest !== null && Reflect.get(manifest, 'type') === 'module';
}
