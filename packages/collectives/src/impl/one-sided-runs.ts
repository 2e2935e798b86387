import type { Stream } from '@nccl-ts/communicator';
import type { BufferPointer } from '../buffer.ts';

/** Bytes for a peer, and a signal; without the bytes only a signal. */
export interface Put {
  readonly kind: 'put';
  readonly places?: Places | undefined;
  readonly peer: number;
  readonly stream: Stream | undefined;
}

export interface Places {
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

/** Operations of one launch: that of rank `first`, and as many for the ranks after it. */
export type OneSidedRun = {
  readonly first: number;
  readonly ranks: number;
  readonly stream: Stream | undefined;
} & (
  | { readonly kind: 'wait'; readonly opCount: number }
  | { readonly kind: 'put'; readonly places: StepPlaces | undefined }
);

/** Places of the first rank, and how many bytes further on each next one's are. */
export interface StepPlaces extends Places {
  readonly dataStep: number;
  readonly toStep: number;
}

/**
 * Groups consecutive operations of one kind for consecutive ranks. Puts must have as many bytes,
 * and equal distances between their locations. So a launch has at most one operation for each rank,
 * whose signals are ordered.
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
  const { places } = operation;
  return { ...ranks, kind: 'put', places: places === undefined ? undefined : { ...places, dataStep: 0, toStep: 0 } };
}

function joined(run: OneSidedRun, next: OneSided): OneSidedRun | undefined {
  if (run.stream !== next.stream || run.first + run.ranks !== next.peer) return undefined;
  const ranks = run.ranks + 1;
  if (run.kind === 'wait') {
    return next.kind === 'wait' && run.opCount === next.opCount ? { ...run, ranks } : undefined;
  }
  if (next.kind === 'wait') return undefined;
  if (run.places === undefined || next.places === undefined) {
    return run.places === next.places ? { ...run, ranks } : undefined;
  }
  const places = reaching(run.places, run.ranks, next.places);
  return places === undefined ? undefined : { ...run, ranks, places };
}

/** The locations for a number of ranks, if those of one more rank continue the pattern. */
function reaching(places: StepPlaces, ranks: number, next: Places): StepPlaces | undefined {
  const dataStep = stepTo(places.data, next.data, ranks, places.dataStep);
  const toStep = stepTo(places.to, next.to, ranks, places.toStep);
  if (places.bytes !== next.bytes || dataStep === undefined || toStep === undefined) return undefined;
  return { ...places, dataStep, toStep };
}

/**
 * The distance between neighbours of `count` + 1 locations from `first` to `next`, if all are the
 * same: `step`, or any if there are only two.
 */
function stepTo(first: BufferPointer, next: BufferPointer, count: number, step: number): number | undefined {
  const distance = next.offset - first.offset;
  if (first.window !== next.window || distance < 0) return undefined;
  return count === 1 || distance === count * step ? distance / count : undefined;
}
