/** The command line asks for something impossible. The exit code is 2, and no stack is printed. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
