import type { ScalarKind } from '@nccl-ts/core';
import type { WindowHandle } from './handles.ts';

/** A byte of every rank's copy of a window. */
export interface WindowPlace {
  readonly window: WindowHandle;
  readonly offset: number;
}

/**
 * The common effect of one launch on each rank of a group. The ranks are those of the windows'
 * group. Each rank launches the same, in the same order as other work of that group.
 *
 * Values are reduced starting at rank 0, in the element type; 16-bit floats are reduced in f32 and
 * rounded at the end.
 */
export interface CollectiveWork {
  readonly collective:
    | 'allReduce'
    | 'broadcast'
    | 'reduce'
    | 'allGather'
    | 'reduceScatter'
    | 'allToAll'
    | 'gather'
    | 'scatter';
  readonly element: ScalarKind;
  /** For collectives that reduce. */
  readonly reduction: 'sum' | 'prod' | 'min' | 'max' | 'avg' | undefined;
  /** Elements, as NCCL counts them for the collective. */
  readonly count: number;
  /** 0 if there is none. */
  readonly root: number;
  readonly send: WindowPlace;
  readonly recv: WindowPlace;
}
