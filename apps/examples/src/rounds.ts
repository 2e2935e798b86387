import type { Communicator, Window } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Copies `words` 4-byte words from one window of the rank to another. */
const copyWords = kernel(
  {
    name: 'copyWords',
    use: { lsa },
    params: { to: window, toWord: u32, from: window, fromWord: u32, words: u32 },
  },
  ({ lsa, threadIdx, blockIdx, blockDim, gridDim, u32 }, { to, toWord, from, fromWord, words }) => {
    const target = lsa.localPointer(to, u32, 0).offset(toWord);
    const source = lsa.localPointer(from, u32, 0).offset(fromWord);
    for (let i = threadIdx.x + blockIdx.x * blockDim.x; i < words; i += blockDim.x * gridDim.x) target[i] = source[i]!;
  },
);

/** A window of 4-byte elements. */
type Words = Window<'f32'> | Window<'u32'>;

/**
 * The inputs or outputs of many rounds, with one run of words for each. Kernels copy the data, so
 * no host code runs between rounds, as in consecutive layers of a model.
 */
export interface Rounds<W extends Words> {
  /** The data of all rounds, in order. */
  readonly all: W;
  /** Launches a copy of a round's data to `target`. */
  give(round: number, target: Words): Promise<void>;
  /** Launches a copy of `source` to the stored data of the round. */
  keep(round: number, source: Words): Promise<void>;
}

/**
 * Allocates a window for `rounds` times `words` words. Its copies are launched on the default
 * stream.
 */
export function roundsIn<W extends Words>(comm: Communicator, all: W, words: number): Rounds<W> {
  const config = { grid: 2, block: 128 } as const;
  return {
    all,
    give: async (round, target) =>
      comm.launch(copyWords, config, { to: target, toWord: 0, from: all, fromWord: round * words, words }),
    keep: async (round, source) =>
      comm.launch(copyWords, config, { to: all, toWord: round * words, from: source, fromWord: 0, words }),
  };
}

/** The data of all rounds, one after the other. */
export function eachRound(rounds: number, data: (round: number) => Float32Array): Float32Array<ArrayBuffer>;
export function eachRound(rounds: number, data: (round: number) => Uint32Array): Uint32Array<ArrayBuffer>;
export function eachRound(
  rounds: number,
  data: (round: number) => Float32Array | Uint32Array,
): Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> {
  const parts = Array.from({ length: rounds }, (_, round) => data(round));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const all = parts[0] instanceof Uint32Array ? new Uint32Array(length) : new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
