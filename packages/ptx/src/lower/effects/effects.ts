import type { LoweringTable } from '../lowering.ts';
import { lowerAsyncCopy } from './async-copies.ts';
import { lowerAtom, lowerRed } from './atomics.ts';
import { lowerBarrier } from './barriers.ts';
import { lowerFence, lowerMembar } from './fences.ts';
import { lowerGridDependency } from './grid-dependency.ts';
import {
  applyPriority,
  breakpoint,
  discard,
  lowerCreatePolicy,
  lowerTrap,
  monitorEvent,
  nanosleep,
  prefetch,
  prefetchu,
  setMaxRegisters,
} from './hints.ts';
import { lowerBuiltinCall } from './builtin-calls.ts';
import { lowerLoadMatrix, lowerMoveMatrix, lowerStoreMatrix } from './matrix-moves.ts';
import { lowerMemoryBarrier } from './memory-barriers.ts';
import { lowerMultimem } from './multimem.ts';
import { lowerRedux } from './redux.ts';
import { lowerShuffle } from './shuffle.ts';
import { unsupportedInstructions } from './unsupported.ts';
import { lowerActiveMask, lowerElect, lowerMatch, lowerVote } from './votes.ts';

/**
 * Instructions with which threads synchronize, exchange values, order memory and update it
 * atomically.
 */
export const effects: LoweringTable = Object.freeze({
  bar: lowerBarrier,
  barrier: lowerBarrier,
  shfl: lowerShuffle,
  vote: lowerVote,
  match: lowerMatch,
  redux: lowerRedux,
  elect: lowerElect,
  activemask: lowerActiveMask,
  atom: lowerAtom,
  red: lowerRed,
  fence: lowerFence,
  membar: lowerMembar,
  griddepcontrol: lowerGridDependency,
  multimem: lowerMultimem,
  call: lowerBuiltinCall,
  cp: lowerAsyncCopy,
  mbarrier: lowerMemoryBarrier,
  ldmatrix: lowerLoadMatrix,
  stmatrix: lowerStoreMatrix,
  movmatrix: lowerMoveMatrix,
  nanosleep,
  trap: lowerTrap,
  brkpt: breakpoint,
  pmevent: monitorEvent,
  prefetch,
  prefetchu,
  discard,
  applypriority: applyPriority,
  createpolicy: lowerCreatePolicy,
  setmaxnreg: setMaxRegisters,
  ...unsupportedInstructions,
});
