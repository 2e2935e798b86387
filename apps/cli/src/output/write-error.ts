/** A file could not be written, and the command line is not to blame: exit code 1, and no stack. */
export class WriteError extends Error {
  override readonly name: string = 'WriteError';
}
