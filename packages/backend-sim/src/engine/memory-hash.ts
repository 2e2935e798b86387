/** Returns a 64-bit hash of the content of memory, as text. */
export function hashOf(words: Uint32Array): string {
  let a = 0x811c9dc5;
  let b = 0;
  let i = -1;
  for (const word of words) {
    i++;
    if (word === 0) continue;
    a = Math.imul(a ^ word ^ Math.imul(i, 0x9e3779b1), 0x01000193);
    b = (Math.imul(b ^ word, 0x85ebca6b) + i) | 0;
    b ^= b >>> 13;
  }
  return `${a >>> 0}.${b >>> 0}`;
}
