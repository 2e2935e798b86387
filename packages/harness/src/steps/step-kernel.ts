import { NcclError } from '@nccl-ts/core';
import { importKernel, parsePtx } from '@nccl-ts/ptx';
import type { TranslatedEntry } from '../translated-entry.ts';

/** The line of a call. */
interface Place {
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
}

export function placeOf(location: string | undefined): Place {
  const { file, line, column } = /^(?<file>.*):(?<line>\d+):(?<column>\d+)$/.exec(location ?? '')?.groups ?? {};
  // The text of a file's name ends at a quote.
  if (file === undefined || /["\\\n]/.test(file)) return { file: undefined, line: 1, column: 1 };
  return { file, line: Number(line), column: Number(column) };
}

/** Makes the kernel of a step from its text, which has one entry. */
export function translatedFrom(
  text: string,
  name: string,
  source: ((path: string) => string | undefined) | undefined,
): TranslatedEntry {
  const { module } = parsePtx(text, `${name}.ptx`);
  const entry = module?.functions.find(({ kind }) => kind === 'entry');
  if (module === undefined || entry === undefined) {
    throw new NcclError(
      'NCCL_INTERNAL_ERROR',
      `cannot make the kernel of a ${name} because its text is no PTX:\n${text}`,
    );
  }
  const { kernel, params } = importKernel(module, { entry: entry.name, ...(source === undefined ? {} : { source }) });
  return { kernel, params, entry };
}
