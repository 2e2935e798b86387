import { readFileSync } from 'node:fs';
import { root } from './folders.ts';

/** The part of a package's manifest that the site uses. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The declarations of each export that has some, by its path: `.`, `./check`. */
  readonly types: ReadonlyMap<string, string>;
}

/** Reads the manifest of a folder in `packages`. @throws TypeError if it lacks a text. */
export function manifestOf(folder: string): PackageManifest {
  const path = `packages/${folder}/package.json`;
  const manifest: unknown = JSON.parse(readFileSync(`${root}${path}`, 'utf8'));
  const text = (name: string): string => {
    const value = memberOf(manifest, name);
    if (typeof value !== 'string') throw new TypeError(`${path} has no ${name}.`);
    return value;
  };
  const exported = memberOf(manifest, 'exports');
  const entries = typeof exported === 'object' && exported !== null ? Object.entries(exported) : [];
  const types = entries.flatMap(([key, target]: [string, unknown]): readonly (readonly [string, string])[] => {
    const file = memberOf(target, 'types');
    return typeof file === 'string' ? [[key, file]] : [];
  });
  return { name: text('name'), version: text('version'), description: text('description'), types: new Map(types) };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
