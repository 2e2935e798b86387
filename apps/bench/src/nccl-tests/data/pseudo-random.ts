/** 32 pseudorandom bits that depend on all four numbers. They are the same on every machine. */
export function hash(seed: number, rank: number, index: number, salt: number): number {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(rank + 1, 0xc2b2ae35);
  h = mixed(h ^ Math.imul(index + 1, 0x27d4eb2f));
  return mixed(h ^ Math.imul(salt + 1, 0x165667b1)) >>> 0;
}

/** A pseudorandom number from 0 to less than 1, with 53 bits. */
export function unit(seed: number, rank: number, index: number, salt: number): number {
  const high = hash(seed, rank, index, salt) >>> 5;
  const low = hash(seed, rank, index, salt + 0x10000) >>> 6;
  return (high * 2 ** 26 + low) / 2 ** 53;
}

/** A whole number from `least` to `most`. */
export function whole(share: number, least: number, most: number): number {
  return Math.min(most, least + Math.floor(share * (most - least + 1)));
}

function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}
