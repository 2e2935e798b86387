import { builtin, constant, scalarType, type Expression } from '@nccl-ts/ir';
import { opaqueValues, type Fidelity } from '@nccl-ts/core';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { and, equal, set, u32, variable, when } from './build.ts';
import { checkerCall } from './checker-call.ts';
import { matrixLoads, type SharedMatrix } from './matrix-descriptor.ts';
import { identityOf, OpaqueValues, wordsOf } from './opaque-values.ts';
import { elementsOf, operandAt, operandsOf, readWords } from './read-words.ts';

/** The test that shows which bytes the instructions read. */
export const warpgroupFidelity: Fidelity = opaqueValues(
  'the values of wgmma as unknown',
  'packages/ptx/test/threads/warpgroup-products.test.ts',
);

/**
 * Lowers `wgmma`. Its values are opaque. Of the matrices that a descriptor names, the first thread
 * of the warpgroup reads all bytes for the whole warpgroup, through the async proxy and beside the
 * thread, until it waits for the group of the instruction.
 *
 * @see PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"
 */
export function lowerWarpgroupProduct(instruction: PtxInstruction, lowering: Lowering): void {
  const { words } = instruction;
  if (!words.includes('sync') || !words.includes('aligned')) {
    lowering.fail('P1003', `${mnemonic(instruction)} needs .sync and .aligned`);
  }
  switch (words[1]) {
    case 'fence':
      // It orders accesses to registers, and those of shared memory only by a fence.proxy.async.
      readWords(instruction, lowering, { action: ['fence'], sync: ['sync'], aligned: ['aligned'] });
      operandsOf(instruction, lowering, 0);
      return;
    case 'commit_group':
      operandsOf(instruction, lowering, 0);
      lowering.emit(checkerCall(lowering, 'bulk.commit', ['matrix']));
      return;
    case 'wait_group': {
      operandsOf(instruction, lowering, 1);
      const left = lowering.value(operandAt(instruction, lowering, 0), 'u32');
      lowering.emit(checkerCall(lowering, 'bulk.wait', ['matrix', 'written'], [left]));
      return;
    }
    case 'mma_async':
      return lowerProduct(instruction, lowering);
    default:
      lowering.fail('P2001', `${mnemonic(instruction)} is not supported`);
  }
}

/** The types of A and B. */
const types = ['f16', 'bf16', 'tf32', 'e4m3', 'e5m2', 's8', 'u8', 'b1'];

function lowerProduct(instruction: PtxInstruction, lowering: Lowering): void {
  const { words, operands } = instruction;
  const shape = words.map((word) => /^m64n(\d+)k(\d+)$/u.exec(word)).find((one) => one !== null);
  const columns = Number(shape?.[1]);
  const isSparse = words.includes('sp');
  const [a, b] = [operandAt(instruction, lowering, 1), operandAt(instruction, lowering, 2)];
  const registers = elementsOf(operandAt(instruction, lowering, 0));
  const isHalf = words.find((word) => word === 'f32' || word === 'f16' || word === 's32') === 'f16';
  const wanted = isHalf ? columns / 4 : columns / 2;
  if (shape === undefined || columns % 8 !== 0 || columns > 256 || !words.some((word) => types.includes(word))) {
    return lowering.fail('P1003', `${mnemonic(instruction)} needs a shape from m64n8 to m64n256 and types`);
  }
  if (registers.length !== wanted) {
    return lowering.fail('P1003', `${mnemonic(instruction)} needs ${wanted} registers of D`);
  }
  const matrices: SharedMatrix[] = [];
  const hasTypesOf16 = words.includes('f16') || words.includes('bf16');
  // After the scales of D, A and B come the transpositions of A, if it is in memory, and of B.
  const flags = hasTypesOf16 && !words.some((word) => ['tf32', 'e4m3', 'e5m2'].includes(word)) ? operands : [];
  const isInMemory = a.kind !== 'vector';
  const scales = isSparse ? 8 : 6;
  if (isInMemory) {
    matrices.push({
      descriptor: lowering.keep('a', lowering.value(a, 'u64')),
      rows: u32(64),
      rowBytes: 32,
      isTransposed: isSet(flags[scales]),
      perPart: 8,
      swizzles: 'wgmma',
    });
  }
  matrices.push({
    descriptor: lowering.keep('b', lowering.value(b, 'u64')),
    rows: u32(columns),
    rowBytes: isSparse ? 64 : 32,
    isTransposed: isSet(flags[isInMemory ? scales + 1 : scales]),
    perPart: 8,
    swizzles: 'wgmma',
  });
  const sum = readMatrices(lowering, matrices, equal(and(builtin('threadLinear'), u32(127)), u32(0)));
  const inRegisters = wordsOf(lowering, isInMemory ? [] : [a]);
  const scale = operands[isSparse ? 5 : 3];
  const before = wordsOf(lowering, scale === undefined ? registers : [...registers, scale]);
  const operandsOfSum = [...before, ...inRegisters, sum, ...identityOf(lowering)];
  new OpaqueValues(instruction, lowering, operandsOfSum).assign(registers);
}

/** An immediate operand of 0 or 1. */
function isSet(operand: PtxOperand | undefined): Expression {
  return constant('bool', operand?.kind === 'integer' && operand.value !== 0n);
}

/** Emits the reads of matrices by the threads that a condition chooses, and returns their sum. */
export function readMatrices(lowering: Lowering, matrices: readonly SharedMatrix[], condition: Expression): Expression {
  const sum = variable(lowering, 'sum', scalarType('u32'));
  lowering.emit(set(lowering, sum, u32(0)));
  if (matrices.length === 0) return sum.value;
  lowering.emit(
    when(lowering, condition, [
      checkerCall(lowering, 'bulk.begin'),
      ...matrices.flatMap((matrix) => matrixLoads(lowering, matrix, sum)),
      checkerCall(lowering, 'bulk.copied'),
      checkerCall(lowering, 'bulk.end', ['matrix']),
    ]),
  );
  return sum.value;
}
