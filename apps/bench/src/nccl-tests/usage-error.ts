/** The command line asks for something that cannot be: exit code 2, and no stack. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
