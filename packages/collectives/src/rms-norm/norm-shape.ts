import { NcclError, scalarInfo } from '@nccl-ts/core';
import type { BackendShape } from '../backend-shape.ts';
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

/** The possible numbers of words for each thread. More would take too many registers. */
const wordsOfThread = [1, 2, 4, 8] as const;

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
const TURN_ROWS = 4 * MULTIPROCESSORS;

/**
 * Returns a shape with a thread for each word of a row, as far as possible, and a CTA for each row.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` if a row does not fit into a CTA.
 */
export function normShape(
  { rows, hidden, element, lsaSize }: { rows: number; hidden: number; element: NormElement; lsaSize: number },
  { sentinel }: BackendShape,
): NormShape {
  const most = (each: number): number =>
    each === 1 && lsaSize <= FEW_RANKS ? Math.max(MOST_THREADS, sentinel.threads) : MOST_THREADS;
  const rowWords = Math.ceil((hidden * scalarInfo[element].bytes) / SENTINEL_BYTES);
  const words = wordsOfThread.find((each) => rowWords <= each * most(each));
  if (words === undefined) {
    const largest = (Math.max(...wordsOfThread) * MOST_THREADS * SENTINEL_BYTES) / scalarInfo[element].bytes;
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `allReduceRMSNorm: cannot normalise rows of ${hidden} ${element} because a CTA holds ${largest} here; ` +
        'use allReduce, and a kernel that normalises the result.',
    );
  }
  const threads = 32 * Math.ceil(rowWords / words / 32);
  // The CTAs of all ranks wait for each other, so they must all run at the same time.
  const isLarge = threads > MOST_THREADS || words > 2 || lsaSize > FEW_RANKS;
  const roomCtas = isLarge ? Math.min(sentinel.ctas, MULTIPROCESSORS) : sentinel.ctas;
  const turnRows = lsaSize > 2 ? 1 : Math.max(1, Math.min(4, Math.floor(TURN_ROWS / roomCtas)));
  return {
    ctas: Math.max(1, Math.min(rows, roomCtas)),
    threads,
    words,
    // A power of two, so that rows of similar length share the memory.
    turnWords: turnRows * 2 ** Math.ceil(Math.log2(words * threads)),
    roomCtas,
    parts: 1,
    rowsAtOnce: turnRows,
  };
}
