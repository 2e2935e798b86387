import type { BodyFunction } from '@nccl-ts/kernel';

/**
 * A function whose captured text is `text`, after any tool has changed this file, and even if
 * TypeScript would refuse it.
 */
export function bodyOf(text: string): BodyFunction {
  // Indirect, so that the text sees no name of this file.
  // oxlint-disable-next-line no-eval
  const made: unknown = (0, eval)(`(${text})`);
  if (typeof made !== 'function') throw new Error(`no function: ${text}`);
  return made as BodyFunction;
}
