import { allReduceRMSNormRows, rowExchange, type NormRowsOptions, type RowExchange } from '@nccl-ts/collectives';
import { devComm, symPtr, type DevCommArg, type SymPtrArg } from '@nccl-ts/devcomm';
import { bf16, f32, kernel, u32, type Kernel } from '@nccl-ts/kernel';

/** The arguments of a kernel that normalises rows of bf16. */
export interface RMSNormArgs {
  readonly send: SymPtrArg;
  readonly residual: SymPtrArg;
  readonly weight: SymPtrArg;
  readonly out: SymPtrArg;
  readonly residualOut: SymPtrArg;
  readonly rows: number;
  readonly hidden: number;
}

/** The arguments of one that also sums over ranks. */
export interface FusedRMSNormArgs extends RMSNormArgs {
  readonly comm: DevCommArg;
  readonly exchange: RowExchange;
}

export const EPSILON = 1e-5;

const buffers = {
  send: symPtr(bf16),
  residual: symPtr(bf16),
  weight: symPtr(bf16),
  out: symPtr(bf16),
  residualOut: symPtr(bf16),
  rows: u32,
  hidden: u32,
} as const;

/** The constants of a fused kernel that can be chosen. */
export type FusedOptions = Pick<NormRowsOptions, 'words' | 'ranks' | 'shuffles' | 'parts' | 'rowsAtOnce'>;

/** A program's own fused kernel. */
export function fusedRMSNorm(options: FusedOptions): Kernel<FusedRMSNormArgs> {
  const { words = 1, parts = 1 } = options;
  return kernel(
    {
      name: `fusedRMSNorm${words}of${parts}`,
      use: { normRows: allReduceRMSNormRows({ element: bf16, ...options }), EPSILON },
      params: { comm: devComm, exchange: rowExchange, ...buffers },
    },
    ({ normRows, EPSILON }, { comm, exchange, send, residual, weight, out, residualOut, rows, hidden }) => {
      normRows(comm, exchange, {
        send: send.localPtr(),
        residual: residual.localPtr(),
        residualOut: residualOut.localPtr(),
        weight: weight.localPtr(),
        out: out.localPtr(),
        rows,
        hidden,
        epsilon: EPSILON,
      });
    },
  );
}

/**
 * Adds the residual to existing sums and normalises them by RMSNorm, as a program does after an
 * AllReduce. Each row has a CTA, which works on 16 bytes at a time. Each thread has `WORDS` words
 * of the row.
 */
export function residualRMSNorm(words: number): Kernel<RMSNormArgs> {
  return kernel(
    { name: `residualRMSNorm${words}`, use: { T: bf16, A: f32, WORDS: words, EPSILON }, params: buffers },
    (
      {
        T,
        A,
        WORDS,
        EPSILON,
        blockDim,
        blockIdx,
        coopCta,
        gridDim,
        lane,
        localArray,
        math,
        sharedArray,
        shflXor,
        threadIdx,
        u32,
        unroll,
        vec,
        warpSize,
        withLane,
      },
      { send, residual, weight, out, residualOut, rows, hidden },
    ) => {
      const V = vec(T, 8);
      const sums = sharedArray(A, 32);
      const at = (k: number): number => threadIdx.x + k * blockDim.x;
      const isThere = (k: number): boolean => at(k) * 8 < hidden;
      for (let row = blockIdx.x; row < rows; row += gridDim.x) {
        const first = (row * hidden) / 8;
        const words = localArray(V, WORDS);
        const factors = localArray(V, WORDS);
        let squares = A(0);
        for (const k of unroll(WORDS)) {
          if (isThere(k)) {
            const sum = send
              .localPtr()
              .cast(V)
              .load(first + at(k));
            const more = residual
              .localPtr()
              .cast(V)
              .load(first + at(k));
            factors.store(k, weight.localPtr().cast(V).load(at(k)));
            let word = V(T(0));
            for (const i of unroll(8)) {
              const value = T(A(lane(sum, i)) + A(lane(more, i)));
              word = withLane(word, i, value);
              squares = A(squares + A(value) * A(value));
            }
            words.store(k, word);
            residualOut
              .localPtr()
              .cast(V)
              .store(first + at(k), word);
          }
        }
        for (let half = u32(16); half > 0; half /= 2) squares = A(squares + shflXor(squares, half));
        coopCta().sync();
        if (threadIdx.x % warpSize === 0) sums.store(threadIdx.x / warpSize, squares);
        coopCta().sync();
        let total = A(0);
        for (let warp = u32(0); warp < blockDim.x / warpSize; warp++) total = A(total + sums.load(warp));
        const factor = math.rsqrt(total / A(hidden) + EPSILON);
        for (const k of unroll(WORDS)) {
          if (isThere(k)) {
            const before = words.load(k);
            const by = factors.load(k);
            let word = V(T(0));
            for (const i of unroll(8)) word = withLane(word, i, T(A(lane(before, i)) * factor * A(lane(by, i))));
            out
              .localPtr()
              .cast(V)
              .store(first + at(k), word);
          }
        }
      }
    },
  );
}
