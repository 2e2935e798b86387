/** What stands in the last word of a line of 16 bytes before data do. As a float it is a NaN that no sum gives. */
export const SENTINEL = 0xfffafffa;

/** Words with the sentinel in the last of every four. */
export function sentinelLines(lines: number): Uint32Array {
  return Uint32Array.from({ length: 4 * lines }, (_, i) => (i % 4 === 3 ? SENTINEL : 0));
}
