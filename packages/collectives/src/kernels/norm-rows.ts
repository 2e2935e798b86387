import { expectInteger, type ScalarKind } from '@nccl-ts/core';
import { resourceLsaPointer, type DevComm } from '@nccl-ts/devcomm';
import { deviceFn, f32, type DeviceFn, type Ptr, type ScalarParam, type TypeFn } from '@nccl-ts/kernel';
import { sentinel } from './sentinel-word.ts';
import { wideWords } from './wide-word.ts';
import { ctaFold } from './cta-fold.ts';
import { rowFold, type RowSums } from './row-fold.ts';
import { MOST_ROWS_AT_ONCE, ROW_SUM_BYTES, type RowExchange } from '../fifo/row-exchange.ts';

/** The constants of a device function that sums and normalises rows. */
export interface NormRowsOptions {
  /** The type of the rows: f32, f16 or bf16. */
  readonly element: ScalarParam<ScalarKind, unknown>;
  /** The type of the normalised rows. @default `element` */
  readonly output?: ScalarParam<ScalarKind, unknown>;
  /**
   * Divides values by a scale before they are rounded to `output`. `given`: all rows have the given
   * scale. `row`: each row has its own, by which its largest value becomes the largest value of
   * e4m3 or i8.
   *
   * @default none
   */
  readonly scaling?: 'none' | 'given' | 'row';
  /** The largest number of 16-byte words of a row that a thread holds. @default 1 */
  readonly words?: number;
  /** The number of ranks of the load-store domain, if it is known. @default 0: any number */
  readonly ranks?: number;
  /** True if the rows have a residual to add, and a destination for the sums. @default true */
  readonly residual?: boolean;
  /** True if the rows are multiplied by a weight for each column. @default true */
  readonly weight?: boolean;
  /** True if the backend can move values within warps, which is faster. @default false */
  readonly shuffles?: boolean;
  /**
   * The number of CTAs that share a row. They must run at the same time, and the backend must have
   * 64-bit integers.
   *
   * @default 1
   */
  readonly parts?: number;
  /** The rows of a CTA that are under way together, up to 4. @default 0: as memory permits */
  readonly rowsAtOnce?: number;
}

/** The rows of a launch. All pointers refer to the first element of the first row. */
export interface NormRows {
  /** This rank's part of the sum. */
  readonly send: Ptr;
  readonly out: Ptr;
  /**
   * Added to the sum over the ranks. It must be the same on all of them. It is read if there is a
   * residual.
   */
  readonly residual?: Ptr;
  /**
   * The destination of the sum with the residual, which may be `residual`. It is stored if there is
   * a residual.
   */
  readonly residualOut?: Ptr;
  /** A factor for each column. It is read if there is a weight. */
  readonly weight?: Ptr;
  /** The destination of each row's scale, as f32. It is stored if `scaling` is `row`. */
  readonly scales?: Ptr;
  /** 1 divided by the scale, as f32. It is read if `scaling` is `given`. */
  readonly inverseScale?: number;
  readonly rows: number;
  /** The number of elements of a row. */
  readonly hidden: number;
  readonly epsilon: number;
}

/**
 * Sums and normalises a CTA's rows: row `blockIdx.x`, and every `gridDim.x`-th row after it. If
 * `parts` CTAs share a row, `parts` consecutive CTAs count as one.
 */
export type AllReduceRMSNormRows = DeviceFn<(comm: DevComm, exchange: RowExchange, rows: NormRows) => void>;

const add: DeviceFn<(a: number, b: number) => number> = deviceFn(
  { name: 'add' },
  (_context, a: number, b: number) => a + b,
);
const larger: DeviceFn<(a: number, b: number) => number> = deviceFn(
  { name: 'larger' },
  ({ max }, a: number, b: number) => max(a, b),
);

/**
 * Stores the elements of `word` that belong to a row of `count` elements, with a single store if
 * `to` is aligned.
 */
const storeRow: DeviceFn<(type: TypeFn, word: number, width: number, to: Ptr, first: number, count: number) => void> =
  deviceFn(
    { name: 'storeRow' },
    ({ lane, sizeOf, u32, vec }, Q: TypeFn, word: number, width: number, to: Ptr, first: number, count: number) => {
      if (to.misalignment(width * sizeOf(Q)) === 0 && first + width <= count) {
        to.offset(first).cast(vec(Q, width)).store(0, word);
      } else {
        for (let k = u32(0); k < width && first + k < count; k++) to.store(first + k, lane(word, k));
      }
    },
  );

/** The largest value of a quantised type. */
function largestOf({ scalar }: ScalarParam<ScalarKind, unknown>): number {
  return scalar === 'i8' ? 127 : 448;
}

/**
 * Makes a device function that sums rows over the ranks of a load-store domain and normalises them:
 * AllReduce, residual addition, RMSNorm, and quantisation in one pass. Every rank gets the same
 * bits of every row.
 *
 * One CTA handles a row, or several share it. Each stores its words of the rank's row to all peers,
 * 16 bytes at a time and without flags, as AllReduce by `sentinel` does; that algorithm explains
 * why words need neither flags nor barriers. The CTA adds the received words in rank order, in f32,
 * adds the residual, and rounds once to the element type. The root mean square is computed from the
 * rounded values.
 *
 * All threads of the CTA must call it, and their number must be a multiple of 32. A row must fit
 * into `words` words of 16 bytes for each thread of its CTAs. All ranks must launch the same grid,
 * a multiple of `parts`, with at most as many CTAs as `exchange` has room for. Launches with other
 * `parts` need another `exchange`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `rowsAtOnce` is not an integer from 0 to 4.
 */
export function allReduceRMSNormRows(options: NormRowsOptions): AllReduceRMSNormRows {
  const { element, output = element, scaling = 'none', words: wordsOfThread = 1, ranks = 0 } = options;
  const { residual = true, weight = true, shuffles = false, parts = 1, rowsAtOnce = 0 } = options;
  expectInteger('allReduceRMSNormRows: rowsAtOnce', rowsAtOnce, 0, MOST_ROWS_AT_ONCE);
  return deviceFn(
    {
      name: 'allReduceRMSNormRows',
      use: {
        resourceLsaPointer,
        sentinel,
        wideWords,
        storeRow,
        sumOfCta: ctaFold(add, shuffles),
        largestOfCta: ctaFold(larger, shuffles),
        sumOfRow: rowFold(add, parts),
        largestOfRow: rowFold(larger, parts),
        T: element,
        Q: output,
        A: f32,
        WORDS: wordsOfThread,
        RANKS: ranks,
        PARTS: parts,
        ROWS: rowsAtOnce,
        SUM_BYTES: ROW_SUM_BYTES,
        MOST_ROWS: MOST_ROWS_AT_ONCE,
        // The words of all peers that a thread has in flight. Registers limit them.
        AT_ONCE: ranks > 4 ? 1 : wordsOfThread,
        RESIDUAL: residual,
        WEIGHT: weight,
        BY_ROW: scaling === 'row',
        BY_SCALE: scaling === 'given',
        INTEGER: output.scalar === 'i8',
        LARGEST: largestOf(output),
      },
    },
    (
      {
        resourceLsaPointer,
        sentinel,
        wideWords,
        storeRow,
        sumOfCta,
        largestOfCta,
        sumOfRow,
        largestOfRow,
        T,
        Q,
        A,
        WORDS,
        RANKS,
        PARTS,
        ROWS,
        SUM_BYTES,
        MOST_ROWS,
        AT_ONCE,
        RESIDUAL,
        WEIGHT,
        BY_ROW,
        BY_SCALE,
        INTEGER,
        LARGEST,
        abs,
        bitcast,
        blockDim,
        blockIdx,
        coopCta,
        fence,
        gridDim,
        lane,
        localArray,
        math,
        max,
        min,
        threadIdx,
        u32,
        u8,
        unroll,
        vec,
        waitUntil,
        withLane,
      },
      comm: DevComm,
      { words, turnWords }: RowExchange,
      of: NormRows,
    ) => {
      const { send, out, rows, hidden, epsilon } = of;
      const width = wideWords.width(T);
      const V = vec(u32, 4);
      const W = vec(T, width);
      const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
      const rank = u32(comm.lsaRank);
      const bankBytes = (nRanks - 1) * (16 * turnWords);
      const regionBytes = sentinel.HEAD + sentinel.BANKS * bankBytes + SUM_BYTES;
      const region = blockIdx.x * regionBytes;
      const regionAt = (peer: number): Ptr => resourceLsaPointer(comm, u8, words, peer).offset(region);
      const state = regionAt(comm.lsaRank).cast(u32);
      // The CTAs of a row, its part of the row's words, and the rows of a turn.
      const part = blockIdx.x % PARTS;
      const group = blockIdx.x / PARTS;
      const groups = gridDim.x / PARTS;
      const rowWords = WORDS * blockDim.x;
      let turnRows = u32(ROWS);
      if (ROWS === 0) turnRows = turnWords / rowWords;
      // A CTA has so many places for what the CTAs of a row tell each other.
      if (ROWS === 0 && PARTS > 1) turnRows = min(turnRows, MOST_ROWS);
      const begin = (k: number): number => (part * rowWords + threadIdx.x + k * blockDim.x) * width;
      const isThere = (k: number): boolean => begin(k) < hidden;
      const place = (j: number, k: number): number => j * rowWords + k * blockDim.x + threadIdx.x;

      let turn = state.load(0);
      let nth = u32(0);
      const bankOf = (from: number): number =>
        sentinel.HEAD + (turn % sentinel.BANKS) * bankBytes + from * (16 * turnWords);
      const outboxAt = (peer: number): Ptr =>
        regionAt(peer)
          .offset(bankOf(rank < peer ? rank : rank - 1))
          .cast(V);
      const inboxOf = (from: number): Ptr => regionAt(comm.lsaRank).offset(bankOf(from)).cast(V);

      const sums: RowSums = {
        part,
        /** The sums of the row's CTA number `of`, behind its banks. */
        at: (of: number): Ptr =>
          resourceLsaPointer(comm, u8, words, comm.lsaRank).offset((group * PARTS + of + 1) * regionBytes - SUM_BYTES),
      };

      for (let first = group; first < rows; first += groups * turnRows) {
        const own = localArray(V, WORDS);
        if (nth > 0) {
          fence('acquire', 'system');
          coopCta().sync();
          fence('release', 'system');
        }
        for (let j = u32(0); j < turnRows && first + j * groups < rows; j++) {
          const row = send.offset((first + j * groups) * hidden);
          const sendTo = (peer: number): void => {
            const outbox = outboxAt(peer);
            for (const k of unroll(WORDS)) {
              if (isThere(k)) outbox.store(place(j, k), sentinel.masked(own.load(k)), 'relaxed', 'system');
            }
          };
          for (const k of unroll(WORDS)) wideWords.load(T, own.offset(k), row, begin(k), hidden);
          if (RANKS === 0) {
            for (let away = u32(1); away < nRanks; away++) sendTo((rank + away) % nRanks);
          } else {
            for (const away of unroll(RANKS)) if (away > 0) sendTo((rank + away) % nRanks);
          }
        }
        for (let j = u32(0); j < turnRows && first + j * groups < rows; j++) {
          const at = (first + j * groups) * hidden;
          const more = localArray(V, WORDS);
          const factors = localArray(V, WORDS);
          const total = localArray(A, WORDS * width);
          // All loads that need no peer are issued before the first wait.
          for (const k of unroll(WORDS)) {
            if (ROWS !== 1) wideWords.load(T, own.offset(k), send.offset(at), begin(k), hidden);
            if (RESIDUAL) wideWords.load(T, more.offset(k), of.residual!.offset(at), begin(k), hidden);
            if (WEIGHT) wideWords.load(T, factors.offset(k), of.weight!, begin(k), hidden);
          }
          const take = (r: number, k: number, word: number): void => {
            const came = bitcast(W, word);
            for (const i of unroll(width)) {
              const next = A(lane(came, i));
              if (r === 0) total[k * width + i] = next;
              else total[k * width + i] = A(total.load(k * width + i) + next);
            }
          };
          if (RANKS === 0) {
            for (let r = u32(0); r < nRanks; r++) {
              for (const k of unroll(WORDS)) {
                const came = localArray(V, 1);
                const inbox = inboxOf(r < rank ? r : r - 1);
                came.store(0, own.load(k));
                if (r !== rank) {
                  waitUntil(() => {
                    let isHere = true;
                    if (isThere(k)) {
                      const word = inbox.load(place(j, k), 'relaxed', 'system');
                      came.store(0, word);
                      isHere = sentinel.hasCome(word);
                    }
                    return isHere;
                  });
                  if (isThere(k)) inbox.store(place(j, k), V(0));
                }
                take(r, k, r === rank ? own.load(k) : sentinel.unmasked(came.load(0)));
              }
            }
          } else {
            for (const g of unroll(WORDS / AT_ONCE)) {
              const came = localArray(V, (RANKS - 1) * AT_ONCE);
              waitUntil(() => {
                let isHere = true;
                for (const p of unroll(RANKS - 1)) {
                  for (const i of unroll(AT_ONCE)) {
                    if (isThere(g * AT_ONCE + i)) {
                      const word = inboxOf(p).load(place(j, g * AT_ONCE + i), 'relaxed', 'system');
                      came.store(p * AT_ONCE + i, word);
                      isHere = isHere && sentinel.hasCome(word);
                    }
                  }
                }
                return isHere;
              });
              for (const i of unroll(AT_ONCE)) {
                const k = g * AT_ONCE + i;
                for (const r of unroll(RANKS)) {
                  // The compiler keeps an array in registers only if all indices are constants.
                  const before = came.load((r === RANKS - 1 ? r - 1 : r) * AT_ONCE + i);
                  const behind = came.load((r === 0 ? r : r - 1) * AT_ONCE + i);
                  const theirs = r === 0 ? before : r === RANKS - 1 ? behind : rank < r ? behind : before;
                  take(r, k, r === rank ? own.load(k) : sentinel.unmasked(theirs));
                }
                if (isThere(k)) for (const p of unroll(RANKS - 1)) inboxOf(p).store(place(j, k), V(0));
              }
            }
          }

          let squares = A(0);
          for (const k of unroll(WORDS)) {
            let word = W(T(0));
            const extra = bitcast(W, more.load(k));
            for (const i of unroll(width)) {
              let value = total.load(k * width + i);
              if (RESIDUAL) value = A(value + A(lane(extra, i)));
              const rounded = T(value);
              word = withLane(word, i, rounded);
              total[k * width + i] = A(rounded);
              // Elements of a word past the end of the row are zero. Words past the end are
              // undefined.
              if (isThere(k)) squares = A(squares + A(rounded) * A(rounded));
            }
            if (RESIDUAL && isThere(k)) storeRow(T, word, width, of.residualOut!.offset(at), begin(k), hidden);
          }
          const sumPlace = (turn % sentinel.BANKS) * turnRows + j;
          const rowSquares = sumOfRow(sums, sumOfCta(squares, nth), turn, sumPlace, 0);
          const factor = math.rsqrt(rowSquares / A(hidden) + epsilon);
          let largest = A(0);
          for (const k of unroll(WORDS)) {
            const factorsOfWord = bitcast(W, factors.load(k));
            for (const i of unroll(width)) {
              let value = A(total.load(k * width + i) * factor);
              if (WEIGHT) value = A(value * A(lane(factorsOfWord, i)));
              total[k * width + i] = value;
              if (BY_ROW && isThere(k)) largest = max(largest, abs(value));
            }
          }
          let inverse = A(1);
          if (BY_SCALE) inverse = A(of.inverseScale!);
          if (BY_ROW) {
            const most = largestOfRow(sums, largestOfCta(largest, nth), turn, sumPlace, 1);
            if (most > 0) inverse = A(A(LARGEST) / most);
            if (part === 0 && threadIdx.x === 0) of.scales!.store(first + j * groups, most / A(LARGEST));
          }
          for (const k of unroll(WORDS)) {
            let word = vec(Q, width)(Q(0));
            for (const i of unroll(width)) {
              let value = total.load(k * width + i);
              if (BY_ROW || BY_SCALE) value = A(value * inverse);
              word = withLane(word, i, Q(INTEGER ? math.round(value) : value));
            }
            if (isThere(k)) storeRow(Q, word, width, out.offset(at), begin(k), hidden);
          }
          nth++;
        }
        turn++;
      }
      coopCta().sync();
      if (threadIdx.x === 0) state[0] = turn;
    },
  );
}
