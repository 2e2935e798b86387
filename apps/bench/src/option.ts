/** The word after `name` on the command line. */
export function option(name: string): string | undefined;
export function option(name: string, otherwise: string): string;
export function option(name: string, otherwise?: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : process.argv[at + 1];
}
