import { builtinModules } from 'node:module';

export const scope = '@nccl-ts/';

/** The target of an import specifier. */
export type ImportTarget =
  | { readonly kind: 'relative' }
  | { readonly kind: 'built-in' }
  | { readonly kind: 'package'; readonly name: string; readonly subpath: string };

const builtIns = new Set(builtinModules);

/**
 * Classifies a specifier: `./x.ts` or `#own/x`, `node:fs`, or a package with its subpath (`.` for
 * none).
 */
export function targetOf(specifier: string): ImportTarget {
  if (/^[./#]/.test(specifier)) return { kind: 'relative' };
  if (specifier.startsWith('node:') || builtIns.has(specifier)) return { kind: 'built-in' };
  const parts = specifier.split('/');
  const length = specifier.startsWith('@') ? 2 : 1;
  const name = parts.slice(0, length).join('/');
  const rest = parts.slice(length).join('/');
  return { kind: 'package', name, subpath: rest === '' ? '.' : `./${rest}` };
}
