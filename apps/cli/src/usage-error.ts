/** The command line asks for something that cannot be: reported without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
