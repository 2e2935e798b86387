/** Thrown if the command line requests something impossible: exit code 2, and no stack. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
