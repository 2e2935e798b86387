import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import { editedTextOf, withEdit } from './edited-module.ts';
import { isTypeScript, javaScriptOf } from './typescript-text.ts';

/** The context that Node gives to a hook which resolves a specifier. */
export interface ResolveContext {
  readonly parentURL?: string | undefined;
  readonly importAttributes?: Readonly<Record<string, string>>;
}

export interface Resolved {
  readonly url: string;
  readonly format?: string | null | undefined;
  readonly importAttributes?: Readonly<Record<string, string>> | undefined;
  readonly shortCircuit?: boolean | undefined;
}

export interface Loaded {
  readonly format: string | null | undefined;
  readonly source?: unknown;
  readonly shortCircuit?: boolean | undefined;
}

type NextResolve<T> = (specifier: string, context: ResolveContext) => T;
type NextLoad<T> = (url: string, context: object) => T;

let port: MessagePort | undefined;

/** Receives the port that is told of each import; `undefined` if nobody listens. */
export function initialize(data: { readonly port: MessagePort } | undefined): void {
  port = data?.port;
}

/**
 * Resolves specifiers as TypeScript does: `.js` for a `.ts` file, paths without an ending, folders,
 * and the `paths` of tsconfig.json where Node finds no package. JSON needs no import attribute.
 *
 * @see https://nodejs.org/docs/latest-v20.x/api/module.html#hooks
 */
export async function resolve(
  specifier: string,
  context: ResolveContext,
  next: NextResolve<Promise<Resolved>>,
): Promise<Resolved> {
  let found: Resolved;
  try {
    found = await next(...first(specifier, context));
  } catch (error) {
    const other = otherThan(specifier, context, error);
    if (other === undefined) throw error;
    found = await next(other, context);
  }
  port?.postMessage(found.url);
  return withJsonAttribute(edited(found, specifier, context), context);
}

/** Loads TypeScript as the JavaScript that this Node can run. */
export async function load(url: string, context: object, next: NextLoad<Promise<Loaded>>): Promise<Loaded> {
  return loaded(url) ?? next(url, context);
}

/** The same hooks for a Node whose hooks run in the importing thread. */
export function synchronousHooks(onImport: ((url: string) => void) | undefined): {
  readonly resolve: (specifier: string, context: ResolveContext, next: NextResolve<Resolved>) => Resolved;
  readonly load: (url: string, context: object, next: NextLoad<Loaded>) => Loaded;
} {
  return {
    resolve: (specifier, context, next) => {
      let found: Resolved;
      try {
        found = next(...first(specifier, context));
      } catch (error) {
        const other = otherThan(specifier, context, error);
        if (other === undefined) throw error;
        found = next(other, context);
      }
      onImport?.(found.url);
      return withJsonAttribute(edited(found, specifier, context), context);
    },
    load: (url, context, next) => loaded(url) ?? next(url, context),
  };
}

/** The functions that the transformed text of `using` calls are packages of this one. */
const RUNTIME = '@oxc-project/runtime/';

function first(specifier: string, context: ResolveContext): readonly [string, ResolveContext] {
  if (specifier.startsWith(RUNTIME)) return [specifier, { ...context, parentURL: import.meta.url }];
  // TypeScript takes the source, even if its output stands beside it.
  const { parentURL } = context;
  const source = isRelative(specifier) && isTypeScript(parentURL) ? sourceOf(specifier) : undefined;
  const path = source === undefined ? undefined : pathOf(source, parentURL);
  return [path !== undefined && existsSync(path) && source !== undefined ? source : specifier, context];
}

/** The specifier of the TypeScript file of which the given one is the output. */
function sourceOf(specifier: string): string | undefined {
  const [, stem, kind, query = ''] = /^(.+)\.([mc]?)js(\?.*)?$/u.exec(specifier) ?? [];
  return stem === undefined ? undefined : `${stem}.${kind ?? ''}ts${query}`;
}

const endings = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js'];

/** Another specifier for one that Node does not find. */
function otherThan(specifier: string, { parentURL }: ResolveContext, error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'].includes(String(code)))
    return undefined;
  const paths = isRelative(specifier) ? [pathOf(specifier, parentURL)] : mapped(specifier, parentURL);
  for (const path of paths) {
    if (path === undefined) continue;
    const source = sourceOf(path);
    const found = [...(source === undefined ? [] : [source]), ...endings.map((ending) => `${path}${ending}`)].find(
      (file) => existsSync(file),
    );
    if (found !== undefined) return pathToFileURL(found).href;
    if (existsSync(path) && !isRelative(specifier)) return pathToFileURL(path).href;
  }
  return undefined;
}

/** The places of a specifier by the `paths` of the nearest tsconfig.json. */
function mapped(specifier: string, parentURL: string | undefined): readonly string[] {
  if (parentURL === undefined || !parentURL.startsWith('file:') || /^[a-z]+:/u.test(specifier)) return [];
  // Few imports come here, so the others do not wait for it.
  const tsconfig: unknown = createRequire(import.meta.url)('get-tsconfig');
  if (!isGetTsconfig(tsconfig)) throw new TypeError('get-tsconfig has no getTsconfig.');
  const config = tsconfig.getTsconfig(dirname(fileURLToPath(parentURL)));
  return (config === null ? undefined : tsconfig.createPathsMatcher(config)?.(specifier)) ?? [];
}

function isGetTsconfig(value: unknown): value is typeof import('get-tsconfig') {
  return typeof value === 'object' && value !== null && 'getTsconfig' in value;
}

function isRelative(specifier: string): boolean {
  return /^(?:\.{0,2}\/|file:)/u.test(specifier);
}

function pathOf(specifier: string, parentURL: string | undefined): string | undefined {
  if (specifier.startsWith('file:')) return fileURLToPath(specifier);
  if (parentURL === undefined || !parentURL.startsWith('file:')) return undefined;
  const path = specifier.replace(/\?.*$/u, '');
  return path.startsWith('/') ? path : join(dirname(fileURLToPath(parentURL)), path);
}

/** A module that an edited one imports by a relative path is one with the edit, too. */
function edited(found: Resolved, specifier: string, { parentURL }: ResolveContext): Resolved {
  return isRelative(specifier) ? { ...found, url: withEdit(found.url, parentURL) } : found;
}

function withJsonAttribute(found: Resolved, { importAttributes }: ResolveContext): Resolved {
  if (!found.url.endsWith('.json') || importAttributes?.['type'] !== undefined) return found;
  return { ...found, importAttributes: { ...importAttributes, type: 'json' } };
}

function loaded(url: string): Loaded | undefined {
  const changed = editedTextOf(url);
  if (changed === undefined && !(isTypeScript(url) && url.startsWith('file:'))) return undefined;
  const { format, text } = javaScriptOf(fileURLToPath(url), changed);
  return { format, source: text, shortCircuit: true };
}
