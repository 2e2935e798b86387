import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KernelTexts } from '@nccl-ts/harness';
import { ptxEdits } from './ptx-edits.ts';

/**
 * The PTX files of a folder, as the harnesses of public kernels name them, also with an edit. Each
 * is read once.
 */
export function ptxFolder(folder: string): Exclude<KernelTexts, string> {
  const texts = new Map<string, string>();
  return (file) => {
    if (file === undefined) throw new RangeError('A public kernel names its PTX.');
    let text = texts.get(file);
    if (text === undefined) {
      const [, name = file, edit] = /^(.*)@([^@]+)(?=\.ptx$)/.exec(file) ?? [];
      text = readFileSync(join(folder, edit === undefined ? file : `${name}.ptx`), 'utf8');
      const change = edit === undefined ? undefined : ptxEdits[edit];
      if (edit !== undefined && change === undefined) throw new RangeError(`There is no edit ${edit}.`);
      const changedText = change?.(text) ?? text;
      if (change !== undefined && changedText === text) throw new RangeError(`${edit} changes nothing in ${name}.ptx.`);
      text = changedText;
      texts.set(file, text);
    }
    return { name: file, text };
  };
}
