/** Returns the number with its noun, such as `1 byte` and `2 bytes`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
