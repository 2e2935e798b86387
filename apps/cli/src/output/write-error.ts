/**
 * A file could not be written, which is not a mistake on the command line: exit code 1, and no
 * stack.
 */
export class WriteError extends Error {
  override readonly name: string = 'WriteError';
}
