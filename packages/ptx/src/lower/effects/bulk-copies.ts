import { binary, pointerOffset, scalarType, vectorType } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { count, equal, set, u32, variable } from './build.ts';
import { checkerCall } from './checker-call.ts';
import { countBytes } from './memory-barriers.ts';
import { operandAt, operandsOf, readWords } from './read-words.ts';
import { lowerTensorCopy } from './tensor-copies.ts';

const line = vectorType('u32', 4);
const clusters = 'build the kernel for clusters of one CTA';

/**
 * Lowers `cp.async.bulk`: copies between global and shared memory, their groups, and the waits for
 * these. A copy is made immediately, and reported to a checker as a bulk copy. For the checker it
 * runs concurrently with the thread, through the async proxy, until an mbarrier or `wait_group`
 * shows its end.
 */
export function lowerBulkCopy(instruction: PtxInstruction, lowering: Lowering): void {
  const { words } = instruction;
  if (words.includes('tensor')) lowerTensorCopy(instruction, lowering);
  else if (words.includes('commit_group')) commit(instruction, lowering);
  else if (words.includes('wait_group')) waitFor(instruction, lowering);
  else if (words.includes('prefetch')) return;
  else copyBytes(instruction, lowering);
}

function commit(instruction: PtxInstruction, lowering: Lowering): void {
  readWords(instruction, lowering, { async: ['async'], bulk: ['bulk'], action: ['commit_group'] });
  operandsOf(instruction, lowering, 0);
  lowering.emit(checkerCall(lowering, 'bulk.commit', ['bulk']));
}

function waitFor(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    async: ['async'],
    bulk: ['bulk'],
    action: ['wait_group'],
    until: ['read'],
  });
  operandsOf(instruction, lowering, 1);
  const left = lowering.value(operandAt(instruction, lowering, 0), 'u32');
  lowering.emit(checkerCall(lowering, 'bulk.wait', ['bulk', word.get('until') ?? 'written'], [left]));
}

function copyBytes(instruction: PtxInstruction, lowering: Lowering): void {
  const [, , , to, from] = instruction.words;
  const isToGlobal = to === 'global';
  const shared = ['shared::cta', 'shared::cluster'];
  if (!(isToGlobal ? shared : ['global']).includes(from ?? '')) {
    return lowering.fail(
      'P2001',
      `${mnemonic(instruction)} is not supported: bulk copies go from global to shared memory or back`,
      clusters,
    );
  }
  const word = readWords({ ...instruction, words: [instruction.words[0], ...instruction.words.slice(5)] }, lowering, {
    completion: [isToGlobal ? 'bulk_group' : 'mbarrier::complete_tx::bytes'],
    hint: ['L2::cache_hint'],
  });
  word.need('completion');
  const hints = word.get('hint') === undefined ? 0 : 1;
  operandsOf(instruction, lowering, (isToGlobal ? 3 : 4) + hints);
  const bytes = lowering.keep('bytes', lowering.value(operandAt(instruction, lowering, 2), 'u32'));
  const { span } = lowering;
  lowering.emit({
    kind: 'assert',
    condition: equal(binary('and', bytes, u32(15)), u32(0)),
    message: 'cp.async.bulk copies a multiple of 16 bytes',
    span,
  });
  lowering.emit(checkerCall(lowering, 'bulk.begin'));
  const index = variable(lowering, 'line', scalarType('u32'));
  lowering.emit(set(lowering, index, u32(0)));
  const copied = variable(lowering, 'copied', line);
  const spaces = { from: isToGlobal ? 'shared' : 'global', to: isToGlobal ? 'global' : 'shared' } as const;
  lowering.memory(operandAt(instruction, lowering, 1), spaces.from, line, (source) => {
    lowering.memory(operandAt(instruction, lowering, 0), spaces.to, line, (target) => {
      const [first, space] = [lowering.keep('source', source), lowering.keep('target', target)];
      lowering.emit(
        count(lowering, index, binary('shr', bytes, u32(4)), [
          { kind: 'load', local: copied.id, pointer: pointerOffset(first, index.value), span },
          { kind: 'store', pointer: pointerOffset(space, index.value), value: copied.value, span },
        ]),
      );
    });
  });
  lowering.emit(checkerCall(lowering, 'bulk.copied'));
  if (!isToGlobal) countBytes(operandAt(instruction, lowering, 3), 'shared', bytes, lowering);
  lowering.emit(checkerCall(lowering, 'bulk.end', [isToGlobal ? 'bulk' : 'barrier']));
}
