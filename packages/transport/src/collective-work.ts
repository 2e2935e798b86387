import type { CollectiveName, ScalarKind } from '@nccl-ts/core';
import type { WindowHandle } from './handles.ts';

/** A byte of every rank's copy of a window. */
export interface WindowLocation {
  readonly window: WindowHandle;
  readonly offset: number;
}

/**
 * The combined effect of launches on all ranks of a group. The group is that of the windows. Each
 * rank makes the same launch, in the same order relative to other work of the group.
 *
 * Values are reduced starting at rank 0, in the element type; 16-bit floats are reduced in f32 and
 * rounded at the end.
 */
export interface CollectiveWork {
  readonly collective: CollectiveName;
  readonly element: ScalarKind;
  /** The reduction operator, for collectives that reduce. */
  readonly reduction: 'sum' | 'prod' | 'min' | 'max' | 'avg' | undefined;
  /** The number of elements, as NCCL counts them for the collective. */
  readonly count: number;
  /** The root, or 0 if there is none. */
  readonly root: number;
  readonly send: WindowLocation;
  readonly recv: WindowLocation;
}
