/**
 * Returns a function whose captured text is `text`, even if a tool has changed this file or
 * TypeScript would refuse the text.
 */
export function bodyOf(text: string): (...args: unknown[]) => unknown {
  // An indirect call, so that the text sees no names of this file.
  // oxlint-disable-next-line no-eval
  const made: unknown = (0, eval)(`(${text})`);
  if (typeof made !== 'function') throw new Error(`no function: ${text}`);
  return made as (...args: unknown[]) => unknown;
}
