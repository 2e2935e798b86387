import { partsFor } from '@nccl-ts/conformance';
import { collectiveShapes, type CollectiveName } from '@nccl-ts/core';

/** The elements of all ranks, from the start of a call's buffer. */
export type RankElements = readonly Float32Array[];

/** The arguments of a call besides its buffers. */
export interface ModelCall {
  readonly count: number;
  readonly root: number;
  /** The factors by which sums multiply a rank's elements. */
  readonly scales: readonly number[];
}

/**
 * Computes the result of a collective for `send` into `recv`, by NCCL's definition. `send` does not
 * change. Reductions are sums.
 */
export function modelCollective(
  collective: CollectiveName,
  send: RankElements,
  recv: RankElements,
  { count, root, scales }: ModelCall,
): void {
  for (const [rank, to] of recv.entries()) {
    const parts = (partsFor(collective, rank, send.length, root) ?? []).map((from) => ({
      scale: scales[from.rank] ?? 1,
      values: send[from.rank]?.subarray(from.part * count, (from.part + 1) * count) ?? new Float32Array(),
    }));
    if (!collectiveShapes[collective].reduces) {
      for (const [i, { values }] of parts.entries()) to.set(values, i * count);
    } else if (parts.length > 0) {
      for (let i = 0; i < count; i++)
        to[i] = parts.reduce((sum, { values, scale }) => sum + (values[i] ?? 0) * scale, 0);
    }
  }
}
