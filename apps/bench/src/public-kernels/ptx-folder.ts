import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KernelTexts } from '@nccl-ts/harness';

/** The PTX files of a folder, as the harnesses of public kernels name them. Each is read once. */
export function ptxFolder(folder: string): Exclude<KernelTexts, string> {
  const texts = new Map<string, string>();
  return (file) => {
    if (file === undefined) throw new RangeError('A public kernel names its PTX.');
    let text = texts.get(file);
    if (text === undefined) {
      text = readFileSync(join(folder, file), 'utf8');
      texts.set(file, text);
    }
    return { name: file, text };
  };
}
