import type { Coop } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { lowerReduction } from './barrier-reduction.ts';
import { arriveAtBarrier, blockBarrier, meetAt } from './block-barrier.ts';
import { u32 } from './build.ts';
import { lowerClusterBarrier } from './cluster-barrier.ts';
import { maskedLanes } from './lanes.ts';
import { operandsOf, readWords } from './read-words.ts';

/**
 * Lowers `bar` and `barrier` of a block, of some of its threads, of a warp, and of a cluster.
 *
 * The name identifies a barrier, so threads may be at different instructions. In PTX, a barrier of
 * the block waits for all threads of the arriving warps that have not ended ("all non-exited
 * threads"), and a warp counts as 32 threads. So half of a warp waits until the other half has
 * arrived or ended. Lanes of one warp at different instructions deadlock if one of these is
 * `.aligned`, as `bar` is. PTX leaves that undefined.
 *
 * @see PTX ISA, 9.7.13.1 (`bar`, `barrier`) and 9.7.13.2 (`bar.warp.sync`)
 */
export function lowerBarrier(instruction: PtxInstruction, lowering: Lowering): void {
  const [, first] = instruction.words;
  if (first === 'warp') lowerWarpBarrier(instruction, lowering);
  else if (first === 'cluster') lowerClusterBarrier(instruction, lowering);
  else lowerBlockBarrier(instruction, lowering);
}

function lowerBlockBarrier(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    scope: ['cta'],
    action: ['sync', 'arrive', 'red'],
    reduction: ['popc', 'and', 'or'],
    aligned: ['aligned'],
    type: ['u32', 'pred'],
  });
  const action = word.need('action');
  if (action === 'red') {
    const reduction = word.need('reduction');
    const type = reduction === 'popc' ? 'u32' : 'pred';
    if (word.need('type') !== type) {
      lowering.fail('P2003', `${mnemonic(instruction)} must name .${type}, the type of .${reduction}`);
    }
    lowerReduction(instruction, lowering, reduction);
    return;
  }
  word.forbid('reduction', 'type');
  if (action === 'arrive') {
    operandsOf(instruction, lowering, 2);
    arriveAtBarrier(instruction, lowering, blockBarrier(instruction, lowering, 0, true));
    return;
  }
  const hasCount = operandsOf(instruction, lowering, 1, 2).length === 2;
  meetAt(instruction, lowering, blockBarrier(instruction, lowering, 0, hasCount));
}

/** Lowers `bar.warp.sync membermask`. */
function lowerWarpBarrier(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, { scope: ['warp'], action: ['sync'] });
  word.need('action');
  const [mask] = operandsOf(instruction, lowering, 1);
  if (mask !== undefined) sync(lowering, maskedLanes(mask, lowering), 0, false);
}

function sync(lowering: Lowering, coop: Coop, name: number, isAligned: boolean): void {
  lowering.emit({ kind: 'sync', coop, barrier: { name: u32(name), isAligned }, span: lowering.span });
}
