import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KernelTexts } from '@nccl-ts/harness';
import { ptxEdits } from './ptx-edits.ts';
import { RELAXED } from './relaxed-kernels.ts';

/**
 * The PTX files of a folder, as the harnesses of public kernels name them, also with an edit, or
 * relaxed from another folder. Each is read once.
 */
export function ptxFolder(folder: string, relaxed?: string): Exclude<KernelTexts, string> {
  const texts = new Map<string, string>();
  return (file) => {
    if (file === undefined) throw new RangeError('A public kernel names its PTX.');
    let text = texts.get(file);
    if (text === undefined) texts.set(file, (text = textOf(folder, relaxed, file)));
    return { name: file, text };
  };
}

function textOf(folder: string, relaxed: string | undefined, file: string): string {
  const [, kernel] = new RegExp(`^(.*)~${RELAXED}\\.ptx$`).exec(file) ?? [];
  if (kernel !== undefined) {
    if (relaxed === undefined) throw new RangeError(`${file} is in no folder of relaxed texts.`);
    return readFileSync(join(relaxed, `${kernel}.ptx`), 'utf8');
  }
  const [, name = file, edit] = /^(.*)@([^@]+)(?=\.ptx$)/.exec(file) ?? [];
  const text = readFileSync(join(folder, edit === undefined ? file : `${name}.ptx`), 'utf8');
  if (edit === undefined) return text;
  const change = ptxEdits[edit];
  if (change === undefined) throw new RangeError(`There is no edit ${edit}.`);
  const changed = change(text);
  if (changed === text) throw new RangeError(`${edit} changes nothing in ${name}.ptx.`);
  return changed;
}
