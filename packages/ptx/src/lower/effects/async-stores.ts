import { wordTable, type ScalarKind } from '@nccl-ts/core';
import { pointerOffset, scalarType } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { accessSpaceOf, bytesOf, isPtxType, mnemonic, widthOf } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { updateOf } from './atomics.ts';
import { checkerCall } from './checker-call.ts';
import { u32 } from './build.ts';
import { countBytes } from './memory-barriers.ts';
import { elementsOf, operandAt, operandsOf, readWords } from './read-words.ts';
import { emitUpdate } from './update-memory.ts';

const COMPLETION = 'mbarrier::complete_tx::bytes';

/** The IR's type for each type that `st.async` stores. */
const stored: Readonly<Record<string, ScalarKind>> = wordTable({
  b32: 'u32',
  u32: 'u32',
  s32: 'u32',
  f32: 'u32',
  b64: 'u64',
  u64: 'u64',
  s64: 'u64',
  f64: 'u64',
});

/**
 * Lowers `st.async`: a store to shared memory of the cluster, which happens beside the thread. An
 * mbarrier of the same CTA counts its bytes. It uses the generic proxy.
 *
 * @see st.async in the PTX ISA
 */
export function lowerAsyncStore(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    async: ['async'],
    order: ['weak'],
    scope: ['cluster'],
    space: ['shared::cluster'],
    completion: [COMPLETION],
    width: ['v2', 'v4'],
    type: Object.keys(stored),
  });
  word.need('completion');
  const scalar = stored[word.need('type')] ?? 'u32';
  operandsOf(instruction, lowering, 3);
  const elements = elementsOf(operandAt(instruction, lowering, 1));
  if (elements.length !== widthOf(instruction)) {
    return lowering.fail(
      'P1003',
      `${mnemonic(instruction)} needs ${widthOf(instruction)} values and has ${elements.length}`,
    );
  }
  const values = elements.map((element) => lowering.keep('value', lowering.value(element, scalar)));
  beside(instruction, lowering, () =>
    lowering.memory(operandAt(instruction, lowering, 0), accessSpaceOf(instruction), scalarType(scalar), (first) => {
      values.forEach((value, index) => {
        const pointer = index === 0 ? first : pointerOffset(first, u32(index));
        lowering.emit({ kind: 'store', pointer, value, span: lowering.span });
      });
    }),
  );
}

/** The IR's type for each type of an operation of `red.async`. */
const reduced: Readonly<Record<string, Readonly<Record<string, ScalarKind>>>> = wordTable({
  inc: { u32: 'u32' },
  dec: { u32: 'u32' },
  min: { u32: 'u32', s32: 'i32' },
  max: { u32: 'u32', s32: 'i32' },
  add: { u32: 'u32', s32: 'u32', u64: 'u64' },
  and: { b32: 'u32' },
  or: { b32: 'u32' },
  xor: { b32: 'u32' },
});

/** Lowers `red.async`, which updates a word as `st.async` stores one. */
export function lowerAsyncReduction(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    async: ['async'],
    order: ['relaxed'],
    scope: ['cluster'],
    space: ['shared::cluster'],
    completion: [COMPLETION],
    operation: Object.keys(reduced),
    type: ['u32', 's32', 'u64', 'b32'],
  });
  word.need('completion');
  const [operation, type] = [word.need('operation'), word.need('type')];
  const scalar = reduced[operation]?.[type];
  if (scalar === undefined) {
    return lowering.fail('P2003', `${mnemonic(instruction)} does not support .${operation} with .${type}`);
  }
  operandsOf(instruction, lowering, 3);
  const value = lowering.keep('value', lowering.value(operandAt(instruction, lowering, 1), scalar));
  const update = updateOf(lowering, operation, value);
  beside(instruction, lowering, () =>
    lowering.memory(operandAt(instruction, lowering, 0), accessSpaceOf(instruction), scalarType(scalar), (pointer) =>
      emitUpdate(lowering, pointer, update, { order: 'relaxed', scope: 'cluster' }),
    ),
  );
}

/** Emits accesses that happen beside the thread, and their end, which an mbarrier counts. */
function beside(instruction: PtxInstruction, lowering: Lowering, access: () => void): void {
  const type = instruction.words.find(isPtxType);
  const bytes = u32((type === undefined ? 0 : bytesOf(type)) * widthOf(instruction));
  lowering.emit(checkerCall(lowering, 'bulk.begin', ['store']));
  access();
  lowering.emit(checkerCall(lowering, 'bulk.copied'));
  countBytes(operandAt(instruction, lowering, 2), accessSpaceOf(instruction), bytes, lowering);
  lowering.emit(checkerCall(lowering, 'bulk.end', ['barrier']));
}
