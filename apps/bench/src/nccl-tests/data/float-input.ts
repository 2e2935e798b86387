import type { BenchOp } from '../bench-op.ts';
import { hash, unit, whole } from './pseudo-random.ts';

/** The element, the rank of its buffer, and the number of elements. */
export interface ElementPosition {
  readonly seed: number;
  readonly rank: number;
  readonly nRanks: number;
  readonly index: number;
}

/** Without a rank: the part that all ranks of an element share. */
const ALL = -1;

/**
 * The data of a rank in a buffer of floats with `significand` bits, including the hidden one. As in
 * nccl-tests, the numbers give a reduction one exact result in every order:
 *
 * - sums: whole multiples of one power of two, whose absolute values have a sum that the
 *   significand can hold
 * - products: one rank has a significand, up to three have 2 or 1/2, the others 1, all with a sign
 * - averages: two ranks have a positive number, so that factors before and divisions after cause
 * little rounding
 * - all others: any significand, and powers of two that all types have
 *
 * No result is a negative zero, or a subnormal number, which WebGPU may flush. An exception is an
 * average of very many ranks in 8 bits.
 */
export function floatInput(op: BenchOp | undefined, significand: number, position: ElementPosition): number {
  switch (op) {
    case 'sum':
      return summand(significand, position);
    case 'mulsum':
      // Some of the values are multiplied by 2.
      return summand(significand - 1, position);
    case 'prod':
      return factor(significand, position);
    case 'avg':
      return averaged(significand, position);
    case 'max':
    case 'min':
    case undefined:
      return any(significand, position);
  }
}

function summand(significand: number, { seed, rank, nRanks, index }: ElementPosition): number {
  const most = 2 ** significand;
  const each = Math.floor(most / nRanks);
  const common = hash(seed, ALL, index, 0);
  // If there are more ranks than the significand has room for, most of them have 0.
  const count =
    each >= 1
      ? whole(unit(seed, rank, index, 1), -each, each)
      : (rank + common) % nRanks < most
        ? sign(hash(seed, rank, index, 2))
        : 0;
  return count * 2 ** ((common % 7) - 3);
}

function factor(significand: number, { seed, rank, nRanks, index }: ElementPosition): number {
  const common = hash(seed, ALL, index, 0);
  const turn = (rank + common) % nRanks;
  const own = hash(seed, rank, index, 1);
  const size = turn === 0 ? 1 + fraction(significand, unit(seed, rank, index, 2)) : turn < 4 ? (own & 2 ? 2 : 0.5) : 1;
  return sign(own) * size;
}

function averaged(significand: number, { seed, rank, nRanks, index }: ElementPosition): number {
  const turn = (rank + hash(seed, ALL, index, 0)) % nRanks;
  return turn < 2 ? whole(unit(seed, rank, index, 1), 1, 2 ** (significand - 1)) : 0;
}

function any(significand: number, { seed, rank, index }: ElementPosition): number {
  const own = hash(seed, rank, index, 0);
  return sign(own) * (1 + fraction(significand, unit(seed, rank, index, 1))) * 2 ** (((own >>> 1) % 9) - 4);
}

function sign(bits: number): 1 | -1 {
  return bits & 1 ? -1 : 1;
}

/** The fraction of a significand with this many bits. */
function fraction(significand: number, share: number): number {
  const steps = 2 ** (significand - 1);
  return whole(share, 0, steps - 1) / steps;
}
