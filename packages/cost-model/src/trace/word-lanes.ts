import { u32At, u8At } from './typed-items.ts';
import type { HeapViews } from '@nccl-ts/codegen';

/**
 * The value of a word, with 4 bytes in each lane, lowest first. Lanes past the end of the word
 * are 0.
 */
export type Lanes = Uint32Array;

/** Reads the word at an address. */
export function readLanes({ u8, u32 }: HeapViews, address: number, bytes: number, lanes: Lanes): void {
  if ((address & 3) === 0 && (bytes & 3) === 0) {
    const end = bytes >>> 2;
    for (let lane = 0; lane < end; lane++) lanes[lane] = u32At(u32, (address >>> 2) + lane);
    for (let lane = end; lane < lanes.length; lane++) lanes[lane] = 0;
    return;
  }
  lanes.fill(0);
  for (let i = 0; i < bytes; i++) {
    const lane = i >>> 2;
    lanes[lane] = u32At(lanes, lane) | (u8At(u8, address + i) << (8 * (i & 3)));
  }
}

/** Writes the word at an address. */
export function writeLanes({ u8, u32 }: HeapViews, address: number, bytes: number, lanes: Lanes): void {
  if ((address & 3) === 0 && (bytes & 3) === 0) {
    for (let lane = 0; lane < bytes >>> 2; lane++) u32[(address >>> 2) + lane] = u32At(lanes, lane);
    return;
  }
  for (let i = 0; i < bytes; i++) u8[address + i] = u32At(lanes, i >>> 2) >>> (8 * (i & 3));
}

/** Splits an 8-byte number into lanes. */
export function lanesOf(value: bigint, lanes: Lanes): void {
  lanes.fill(0);
  lanes[0] = Number(value & 0xffffffffn);
  lanes[1] = Number((value >> 32n) & 0xffffffffn);
}

/** Adds to a word of at most 8 bytes, which wraps around. A `sign` of -1 subtracts. */
export function addLanes(to: Lanes, addend: Lanes, sign: 1 | -1, bytes: number): void {
  const low = u32At(to, 0) + sign * u32At(addend, 0);
  const carry = low < 0 ? -1 : low > 0xffffffff ? 1 : 0;
  to[0] = low;
  to[1] = u32At(to, 1) + sign * u32At(addend, 1) + carry;
  trim(to, bytes);
}

/** True if two words of so many bytes are equal. */
export function equalLanes(a: Lanes, b: Lanes, bytes: number): boolean {
  for (let lane = 0; 4 * lane < bytes; lane++) if (u32At(a, lane) !== u32At(b, lane)) return false;
  return true;
}

/** Clears the lanes past the end of a word. */
function trim(lanes: Lanes, bytes: number): void {
  if (bytes < 8) lanes[1] = 0;
  if (bytes < 4) lanes[0] = u32At(lanes, 0) & ((1 << (8 * bytes)) - 1);
}
