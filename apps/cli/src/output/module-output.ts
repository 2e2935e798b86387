/**
 * Sends to stderr whatever a user's module writes to stdout, which then has only the command's own
 * output: JSON stays JSON, and code stays code. Returns the way to stdout that is left.
 */
export function divertModuleOutput({
  stdout,
  stderr,
}: Pick<NodeJS.Process, 'stdout' | 'stderr'>): (text: string) => void {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return (text) => {
    write(text);
  };
}
