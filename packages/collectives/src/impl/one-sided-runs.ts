import type { Stream } from '@nccl-ts/communicator';
import type { BufferPointer } from '../buffer.ts';

/** A put of bytes to a peer, with a signal. Without bytes it only signals. */
export interface Put {
  readonly kind: 'put';
  readonly buffers?: TransferBuffers | undefined;
  readonly peer: number;
  readonly stream: Stream | undefined;
}

export interface TransferBuffers {
  readonly data: BufferPointer<'u8'>;
  readonly to: BufferPointer<'u8'>;
  readonly bytes: number;
}

/** A wait for a number of further signals from a rank. */
export interface Wait {
  readonly kind: 'wait';
  readonly peer: number;
  readonly opCount: number;
  readonly stream: Stream | undefined;
}

export type OneSided = Put | Wait;

/** The operations of one launch: one for rank `first`, and one for each of the ranks after it. */
export type OneSidedRun = {
  readonly first: number;
  readonly ranks: number;
  readonly stream: Stream | undefined;
} & (
  | { readonly kind: 'wait'; readonly opCount: number }
  | { readonly kind: 'put'; readonly buffers: StridedTransferBuffers | undefined }
);

/** The locations for the first rank, and the distance in bytes to those of the next. */
export interface StridedTransferBuffers extends TransferBuffers {
  readonly dataStep: number;
  readonly toStep: number;
}

/**
 * Groups consecutive operations of one kind for consecutive ranks. Puts must have the same number
 * of bytes, and evenly spaced locations. So a launch has at most one operation for each rank, and
 * the signals of a rank stay ordered.
 */
export function runsOf(operations: readonly OneSided[]): readonly OneSidedRun[] {
  const runs: OneSidedRun[] = [];
  for (const operation of operations) {
    const last = runs.at(-1);
    const longer = last === undefined ? undefined : joined(last, operation);
    if (longer === undefined) runs.push(runOf(operation));
    else runs[runs.length - 1] = longer;
  }
  return runs;
}

function runOf(operation: OneSided): OneSidedRun {
  const { peer: first, stream } = operation;
  const ranks = { first, ranks: 1, stream };
  if (operation.kind === 'wait') return { ...ranks, kind: 'wait', opCount: operation.opCount };
  const { buffers } = operation;
  return { ...ranks, kind: 'put', buffers: buffers === undefined ? undefined : { ...buffers, dataStep: 0, toStep: 0 } };
}

function joined(run: OneSidedRun, next: OneSided): OneSidedRun | undefined {
  if (run.stream !== next.stream || run.first + run.ranks !== next.peer) return undefined;
  const ranks = run.ranks + 1;
  if (run.kind === 'wait') {
    return next.kind === 'wait' && run.opCount === next.opCount ? { ...run, ranks } : undefined;
  }
  if (next.kind === 'wait') return undefined;
  if (run.buffers === undefined || next.buffers === undefined) {
    return run.buffers === next.buffers ? { ...run, ranks } : undefined;
  }
  const buffers = reaching(run.buffers, run.ranks, next.buffers);
  return buffers === undefined ? undefined : { ...run, ranks, buffers };
}

/** Adds the locations of one more rank, if they continue the pattern of `ranks` ranks. */
function reaching(
  buffers: StridedTransferBuffers,
  ranks: number,
  next: TransferBuffers,
): StridedTransferBuffers | undefined {
  const dataStep = stepTo(buffers.data, next.data, ranks, buffers.dataStep);
  const toStep = stepTo(buffers.to, next.to, ranks, buffers.toStep);
  if (buffers.bytes !== next.bytes || dataStep === undefined || toStep === undefined) return undefined;
  return { ...buffers, dataStep, toStep };
}

/**
 * The distance between neighbouring locations, if `count` + 1 locations from `first` to `next` are
 * evenly spaced by `step`. With only two locations, any distance is right.
 */
function stepTo(first: BufferPointer, next: BufferPointer, count: number, step: number): number | undefined {
  const distance = next.offset - first.offset;
  if (first.window !== next.window || distance < 0) return undefined;
  return count === 1 || distance === count * step ? distance / count : undefined;
}
