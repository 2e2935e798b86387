import { readFileSync } from 'node:fs';
import { root } from '../src/folders.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this repository's manifests have it
const { version: number } = JSON.parse(readFileSync(`${root}packages/nccl-ts/package.json`, 'utf8')) as {
  readonly version: string;
};
/** The version of all packages. */
export const version = `v${number}`;
