import type { CollectiveName } from '@nccl-ts/collectives';

/** The elements of all ranks, from the start of a call's buffer. */
export type Buffers = readonly Float32Array[];

/** The arguments of a call besides its buffers. */
export interface ModelCall {
  readonly count: number;
  readonly root: number;
  /** The factors by which sums multiply a rank's elements. */
  readonly scales: readonly number[];
}

/**
 * Computes the result of a collective for `send` into `recv`. `send` does not change. Reductions
 * are sums.
 */
type Model = (send: Buffers, recv: Buffers, call: ModelCall) => void;

function copy(from: Float32Array | undefined, at: number, to: Float32Array | undefined, into: number, n: number): void {
  if (from !== undefined) to?.set(from.subarray(at, at + n), into);
}

function sum(send: Buffers, at: number, to: Float32Array | undefined, { count, scales }: ModelCall): void {
  for (let i = 0; i < count; i++) {
    if (to !== undefined) to[i] = send.reduce((all, one, rank) => all + (one[at + i] ?? 0) * (scales[rank] ?? 1), 0);
  }
}

/** The collectives, by NCCL's definition. */
export const collectiveModels: Readonly<Record<CollectiveName, Model>> = Object.freeze<Record<CollectiveName, Model>>({
  allReduce: (send, recv, call) => recv.forEach((to) => sum(send, 0, to, call)),
  broadcast: (send, recv, { count, root }) => recv.forEach((to) => copy(send[root], 0, to, 0, count)),
  reduce: (send, recv, call) => sum(send, 0, recv[call.root], call),
  allGather: (send, recv, { count }) =>
    recv.forEach((to) => send.forEach((from, rank) => copy(from, 0, to, rank * count, count))),
  reduceScatter: (send, recv, call) => recv.forEach((to, rank) => sum(send, rank * call.count, to, call)),
  allToAll: (send, recv, { count }) =>
    recv.forEach((to, rank) => send.forEach((from, other) => copy(from, rank * count, to, other * count, count))),
  gather: (send, recv, { count, root }) => send.forEach((from, rank) => copy(from, 0, recv[root], rank * count, count)),
  scatter: (send, recv, { count, root }) => recv.forEach((to, rank) => copy(send[root], rank * count, to, 0, count)),
});
