import type { ScalarKind } from '@nccl-ts/core';
import type { WindowHandle } from './backend.ts';

/** A byte of every rank's copy of a window. */
export interface WindowPlace {
  readonly window: WindowHandle;
  readonly offset: number;
}

/**
 * What one launch on each rank of a group does in common. The ranks are those of the windows'
 * group; each launches the same, in the same order as others of that group.
 *
 * Values are reduced from rank 0 on, in the type of the elements; those of 16 bits in f32, and
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
  /** Of collectives that reduce. */
  readonly reduction: 'sum' | 'prod' | 'min' | 'max' | 'avg' | undefined;
  /** Elements, as NCCL counts them for the collective. */
  readonly count: number;
  /** 0 where there is none. */
  readonly root: number;
  readonly send: WindowPlace;
  readonly recv: WindowPlace;
}
