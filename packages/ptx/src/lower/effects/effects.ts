import { approximate, exact, opaque, type Fidelity } from '@nccl-ts/core';
import { activeMaskFidelity } from '@nccl-ts/ir';
import { rowsOf, type InstructionLowering, type InstructionTable } from '../lowering.ts';
import { lowerAsyncCopy } from './async-copies.ts';
import { lowerAsyncReduction } from './async-stores.ts';
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
import { lowerMatrixProduct, opaqueProducts } from './matrix-products.ts';
import { lowerMultimem } from './multimem.ts';
import { lowerRedux } from './redux.ts';
import { lowerShuffle } from './shuffle.ts';
import { lowerTensorMemory, tensorMemoryFidelity } from './tensor-memory.ts';
import { unsupportedInstructions } from './unsupported.ts';
import { lowerWarpgroupProduct, warpgroupFidelity } from './warpgroup-products.ts';
import { lowerActiveMask, lowerElect, lowerMatch, lowerVote } from './votes.ts';

const threads = (name: string): Fidelity => exact(`packages/ptx/test/threads/${name}.test.ts`);
const lanes = threads('lanes');
const statements = threads('statements');
const signaled = approximate('copies that signal an mbarrier as over at once');

/** `red`, and `red.async` of shared memory. */
const lowerAnyReduction: InstructionLowering = (instruction, lowering) => {
  const { words } = instruction;
  const isOfCluster = words[1] === 'async' && !words.includes('global');
  (isOfCluster ? lowerAsyncReduction : lowerRed)(instruction, lowering);
};

/**
 * Instructions with which threads synchronize, exchange values, order memory and update it
 * atomically.
 */
export const effects: InstructionTable = Object.freeze({
  bar: { lower: lowerBarrier, fidelity: threads('barriers') },
  barrier: { lower: lowerBarrier, fidelity: threads('barriers'), modifiers: { cluster: threads('clusters') } },
  ...rowsOf({ shfl: lowerShuffle, vote: lowerVote, match: lowerMatch, redux: lowerRedux }, lanes),
  elect: { lower: lowerElect, fidelity: approximate('the leader of elect.sync as the lowest lane') },
  activemask: { lower: lowerActiveMask, fidelity: activeMaskFidelity },
  atom: { lower: lowerAtom, fidelity: threads('atomics') },
  red: { lower: lowerAnyReduction, fidelity: threads('atomics'), modifiers: { async: threads('clusters') } },
  ...rowsOf({ fence: lowerFence, membar: lowerMembar }, statements),
  griddepcontrol: { lower: lowerGridDependency, fidelity: statements },
  multimem: { lower: lowerMultimem, fidelity: threads('multimem') },
  call: { lower: lowerBuiltinCall, fidelity: threads('in-entries') },
  cp: {
    lower: lowerAsyncCopy,
    fidelity: threads('async-copies'),
    modifiers: { tensor: threads('tensor-copies'), reduce: threads('tensor-copies'), mbarrier: signaled },
  },
  mbarrier: {
    lower: lowerMemoryBarrier,
    fidelity: threads('async-copies'),
    modifiers: { 'shared::cluster': threads('clusters') },
  },
  mma: {
    lower: lowerMatrixProduct,
    fidelity: approximate('a sum of products in the order of the registers, rounded once', 'rounds'),
    modifiers: { sp: opaqueProducts, 'sp::ordered_metadata': opaqueProducts, block_scale: opaqueProducts },
  },
  tcgen05: { lower: lowerTensorMemory, fidelity: tensorMemoryFidelity },
  wgmma: { lower: lowerWarpgroupProduct, fidelity: warpgroupFidelity },
  ...rowsOf(
    { ldmatrix: lowerLoadMatrix, stmatrix: lowerStoreMatrix, movmatrix: lowerMoveMatrix },
    threads('matrix-moves'),
  ),
  ...rowsOf(
    {
      nanosleep,
      trap: lowerTrap,
      pmevent: monitorEvent,
      prefetch,
      prefetchu,
      applypriority: applyPriority,
      createpolicy: lowerCreatePolicy,
      setmaxnreg: setMaxRegisters,
    },
    statements,
  ),
  brkpt: { lower: breakpoint, fidelity: approximate('brkpt as nothing') },
  discard: { lower: discard, fidelity: approximate('discard as a store of zeros') },
  ...rowsOf(unsupportedInstructions, opaque('not supported, so it is refused')),
});
