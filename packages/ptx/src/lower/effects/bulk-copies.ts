import { binary, clusterCtas, convert, pointerOffset, scalarType, vectorType, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { withRank } from '../cluster-addresses.ts';
import { mnemonic, type AccessSpace } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { addressNumber } from './address-number.ts';
import { count, equal, hasBit, set, u32, variable, when } from './build.ts';
import { checkerCall } from './checker-call.ts';
import { countBytes, countBytesAt } from './memory-barriers.ts';
import { operandAt, operandsOf, readWords } from './read-words.ts';
import { lowerTensorCopy } from './tensor-copies.ts';

const line = vectorType('u32', 4);

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

/**
 * The direction of a copy: global to shared memory, back, or shared memory to that of a neighbour.
 */
function spacesOf(instruction: PtxInstruction): BulkSpaces | undefined {
  const [, , , to = '', from = ''] = instruction.words;
  const target = shared.get(to);
  if (from === 'global') return target === undefined ? undefined : { from, to: target };
  const source = shared.get(from);
  if (to === 'global') return source === undefined ? undefined : { from: source, to };
  return to === 'shared::cluster' && from === 'shared::cta' ? { from: 'shared', to: 'cluster' } : undefined;
}

interface BulkSpaces {
  readonly from: AccessSpace;
  readonly to: AccessSpace;
}

const shared: ReadonlyMap<string, AccessSpace> = new Map<string, AccessSpace>([
  ['shared::cta', 'shared'],
  ['shared::cluster', 'cluster'],
]);

function copyBytes(instruction: PtxInstruction, lowering: Lowering): void {
  const spaces = spacesOf(instruction);
  if (spaces === undefined) {
    return lowering.fail(
      'P2001',
      `${mnemonic(instruction)} is not supported: bulk copies go from global to shared memory or back, or from .shared::cta to .shared::cluster`,
    );
  }
  const isToGlobal = spaces.to === 'global';
  const word = readWords({ ...instruction, words: [instruction.words[0], ...instruction.words.slice(5)] }, lowering, {
    completion: [isToGlobal ? 'bulk_group' : 'mbarrier::complete_tx::bytes'],
    multicast: spaces.from === 'global' && spaces.to === 'cluster' ? ['multicast::cluster'] : [],
    hint: ['L2::cache_hint'],
  });
  word.need('completion');
  const hints = word.get('hint') === undefined ? 0 : 1;
  const masks = word.get('multicast') === undefined ? 0 : 1;
  operandsOf(instruction, lowering, (isToGlobal ? 3 : 4) + masks + hints);
  const bytes = lowering.keep('bytes', lowering.value(operandAt(instruction, lowering, 2), 'u32'));
  const { span } = lowering;
  lowering.emit({
    kind: 'assert',
    condition: equal(binary('and', bytes, u32(15)), u32(0)),
    message: 'cp.async.bulk copies a multiple of 16 bytes',
    span,
  });
  if (masks > 0) {
    const mask = lowering.keep('mask', lowering.value(operandAt(instruction, lowering, 4), 'u16'));
    copyToAll(instruction, lowering, bytes, convert(scalarType('u32'), mask));
    return;
  }
  lowering.emit(checkerCall(lowering, 'bulk.begin'));
  lowering.memory(operandAt(instruction, lowering, 1), spaces.from, line, (source) => {
    lowering.memory(operandAt(instruction, lowering, 0), spaces.to, line, (target) => {
      copyLines(lowering, source, target, bytes);
    });
  });
  lowering.emit(checkerCall(lowering, 'bulk.copied'));
  if (!isToGlobal) countBytes(operandAt(instruction, lowering, 3), spaces.to, bytes, lowering);
  lowering.emit(checkerCall(lowering, 'bulk.end', [isToGlobal ? 'bulk' : 'barrier']));
}

/**
 * Emits a copy to the same place in each CTA whose bit is set in `mask`. Each CTA's own mbarrier
 * counts its bytes.
 */
function copyToAll(instruction: PtxInstruction, lowering: Lowering, bytes: Expression, mask: Expression): void {
  const [to, barrier] = [0, 3].map((index) =>
    lowering.keep('to', addressNumber(instruction, operandAt(instruction, lowering, index), 'u32', lowering)),
  );
  if (to === undefined || barrier === undefined) return;
  const ctas = clusterCtas(lowering.cluster);
  const { span } = lowering;
  lowering.emit({
    kind: 'assert',
    condition: equal(binary('shr', mask, u32(ctas)), u32(0)),
    message: 'the mask of a multicast copy names a CTA that the cluster does not have',
    span,
  });
  for (let rank = 0; rank < ctas; rank++) {
    const statements = lowering.collect(() => {
      lowering.emit(checkerCall(lowering, 'bulk.begin'));
      lowering.memory(operandAt(instruction, lowering, 1), 'global', line, (source) => {
        copyLines(lowering, source, lowering.pointerAt('cluster', withRank(to, u32(rank)), line), bytes);
      });
      lowering.emit(checkerCall(lowering, 'bulk.copied'));
      countBytesAt(lowering.pointerAt('cluster', withRank(barrier, u32(rank)), scalarType('u64')), bytes, lowering);
      lowering.emit(checkerCall(lowering, 'bulk.end', ['barrier']));
    });
    lowering.emit(when(lowering, hasBit(mask, u32(rank)), statements));
  }
}

function copyLines(lowering: Lowering, from: Expression, to: Expression, bytes: Expression): void {
  const { span } = lowering;
  const index = variable(lowering, 'line', scalarType('u32'));
  const copied = variable(lowering, 'copied', line);
  const [source, target] = [lowering.keep('source', from), lowering.keep('target', to)];
  lowering.emit(set(lowering, index, u32(0)));
  lowering.emit(
    count(lowering, index, binary('shr', bytes, u32(4)), [
      { kind: 'load', local: copied.id, pointer: pointerOffset(source, index.value), span },
      { kind: 'store', pointer: pointerOffset(target, index.value), value: copied.value, span },
    ]),
  );
}
