/** A diff without its last line end. A last line of context that is empty stays. */
export function diffLines(diff: string): string {
  return diff.replace(/\n$/u, '');
}
