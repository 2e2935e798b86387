import { NcclError, scalarInfo, WARP_SIZE } from '@nccl-ts/core';
import type { BackendShape } from '../backend-shape.ts';
import { MOST_ROWS_AT_ONCE } from '../fifo/row-exchange.ts';
import { SENTINEL_BYTES } from '../fifo/sentinel.ts';
import type { NormElement } from '../kernels/norm-kernel.ts';

/** The shape of a launch, and of the exchange memory that it needs. */
export interface NormShape {
  readonly ctas: number;
  readonly threads: number;
  /** The 16-byte words of each thread. */
  readonly words: number;
  readonly turnWords: number;
  /** The number of CTAs for which there is memory. */
  readonly roomCtas: number;
  /** The number of CTAs that share a row. */
  readonly parts: number;
  /** The number of rows of a CTA that are under way together. */
  readonly rowsAtOnce: number;
}

/** The possible numbers of words for each thread, and of CTAs for each row. */
const steps = [1, 2, 4, 8] as const;

/**
 * The number of threads whose registers suffice for any number of words and ranks: a thread takes
 * up to 255 of 65536.
 */
const MOST_THREADS = 256;

/** With more ranks than this, even one word takes more than 128 registers. */
const FEW_RANKS = 4;

/** The number of multiprocessors of an H100. */
const MULTIPROCESSORS = 132;

/** The number of rows that all CTAs of a launch exchange with one peer in a turn. */
const TURN_ROWS = MOST_ROWS_AT_ONCE * MULTIPROCESSORS;

/** The words of a thread, and the CTAs of a row. */
type Division = Pick<NormShape, 'words' | 'parts'>;

/**
 * Returns a shape with a thread for each word of a row, as far as possible. A row has a CTA of its
 * own if it fits into one with a word for each thread. Longer rows have several CTAs, if the
 * backend can divide them. If there are more rows than CTAs, threads have two words, so that more
 * CTAs run at the same time. These choices were measured on two H100s.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` if a row does not fit into its CTAs.
 */
export function normShape(
  { rows, hidden, element, lsaSize }: { rows: number; hidden: number; element: NormElement; lsaSize: number },
  { sentinel, rowParts }: BackendShape,
): NormShape {
  const most = (words: number): number =>
    words === 1 && lsaSize <= FEW_RANKS ? Math.max(MOST_THREADS, sentinel.threads) : MOST_THREADS;
  const rowWords = Math.ceil((hidden * scalarInfo[element].bytes) / SENTINEL_BYTES);
  const roomOf = (threads: number, words: number): number => {
    // The CTAs of all ranks wait for each other, so they must all run at the same time.
    const isLarge = threads > MOST_THREADS || words > 2 || lsaSize > FEW_RANKS || (words > 1 && lsaSize > 2);
    return isLarge ? Math.min(sentinel.ctas, MULTIPROCESSORS) : sentinel.ctas;
  };
  /** The CTAs of a row with this many words for each thread. */
  const divided = (words: number): Division | undefined => {
    const parts = steps.find((number) => rowWords <= number * words * MOST_THREADS);
    return parts === undefined || parts > rowParts ? undefined : { words, parts };
  };
  /** A row in one CTA. */
  const alone = (least: number): Division | undefined => {
    const words = steps.find((number) => number >= least && rowWords <= number * most(number));
    return words === undefined ? undefined : { words, parts: 1 };
  };
  const choose = (): Division | undefined => {
    const hasMany = rows > MULTIPROCESSORS && rowWords > MOST_THREADS;
    if (rowWords <= most(1)) return (hasMany ? alone(2) : undefined) ?? alone(1);
    const short = divided(1);
    if (short !== undefined && rows * short.parts <= roomOf(MOST_THREADS, 1)) return short;
    return divided(2) ?? alone(1);
  };
  const division = choose();
  if (division === undefined) {
    const mostWords = Math.max(...steps, 2 * rowParts) * MOST_THREADS;
    const largest = (mostWords * SENTINEL_BYTES) / scalarInfo[element].bytes;
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `allReduceRMSNorm: cannot normalise rows of ${hidden} ${element} because the CTAs of a row hold ${largest} here; ` +
        'use allReduce, and a kernel that normalises the result.',
    );
  }
  const { words, parts } = division;
  const threads = WARP_SIZE * Math.ceil(rowWords / words / parts / WARP_SIZE);
  const roomCtas = roomOf(threads, words);
  const groups = Math.floor(roomCtas / parts);
  const mostAtOnce = lsaSize > 2 ? 1 : Math.max(1, Math.min(MOST_ROWS_AT_ONCE, Math.floor(TURN_ROWS / groups)));
  const rowsAtOnce = steps.find((number) => number * groups >= rows && number <= mostAtOnce) ?? mostAtOnce;
  return {
    ctas: Math.max(1, Math.min(rows, groups)) * parts,
    threads,
    words,
    // A power of two, so that rows of similar length share the memory.
    turnWords: mostAtOnce * 2 ** Math.ceil(Math.log2(words * threads)),
    roomCtas,
    parts,
    rowsAtOnce,
  };
}
