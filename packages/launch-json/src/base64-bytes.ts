const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Bytes as base64. Browsers and Node 20 have no common function for it. */
export function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const word = a * 0x1_0000 + b * 0x100 + c;
    const left = bytes.length - at;
    const four = [word >> 18, (word >> 12) & 63, (word >> 6) & 63, word & 63].map((six) => letters.charAt(six));
    parts.push(left === 1 ? `${four[0]}${four[1]}==` : left === 2 ? `${four[0]}${four[1]}${four[2]}=` : four.join(''));
  }
  return parts.join('');
}

/** The bytes of a text that is base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lengthOf(base64));
  for (let at = 0, to = 0; at < base64.length; at += 4, to += 3) {
    const word = [0, 1, 2, 3].reduce((sum, i) => sum * 64 + Math.max(0, letters.indexOf(base64.charAt(at + i))), 0);
    bytes.set([word >> 16, (word >> 8) & 255, word & 255].slice(0, bytes.length - to), to);
  }
  return bytes;
}

/** The number of bytes that a text of base64 stands for. */
export function lengthOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
