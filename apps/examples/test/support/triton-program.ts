import { readFileSync } from 'node:fs';
import { harnessProgram, ranksToCheck, translate } from '@nccl-ts/harness';
import { expect } from 'vitest';
import launch from '../../triton/launch.ts';

const folder = new URL('../../triton/', import.meta.url);
export const page = new URL('../../../../docs/how-to/check-a-triton-kernel.md', import.meta.url);
export const textOf = (path: string): string => readFileSync(new URL(path, folder), 'utf8');
export const [ranks] = ranksToCheck(launch);
export const ptx = textOf('all_reduce.ptx');

export function programOf(text: string) {
  return harnessProgram(launch, translate(launch, text, { name: 'all_reduce.ptx', source: textOf }));
}

/** Replaces match number `index`, from 0, in a text. */
export function changed(pattern: RegExp, at: number, to: string): string {
  let seen = 0;
  const text = ptx.replace(pattern, (found) => (seen++ === at ? to : found));
  expect(text).not.toBe(ptx);
  return text;
}
