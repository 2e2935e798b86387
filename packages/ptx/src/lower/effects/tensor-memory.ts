import { binary, compare, constant, local, scalarType, type Expression } from '@nccl-ts/ir';
import { opaqueValues, type Fidelity } from '@nccl-ts/core';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { and, equal, set, u32, type Variable } from './build.ts';
import { checkerCall } from './checker-call.ts';
import { laneId } from './lanes.ts';
import type { SharedMatrix } from './matrix-descriptor.ts';
import { arriveAtMemoryBarrier } from './memory-barriers.ts';
import { identityOf, mixed, OpaqueValues, wordsOf } from './opaque-values.ts';
import { elementsOf, operandAt, operandsOf } from './read-words.ts';
import { readMatrices } from './warpgroup-products.ts';

export const tensorMemoryFidelity: Fidelity = opaqueValues(
  'tensor memory as unknown values without an order, and the end of tcgen05 instructions as that of their commit',
  'packages/ptx/test/threads/tensor-memory.test.ts',
);

type Lower = (instruction: PtxInstruction, lowering: Lowering) => void;

/**
 * Lowers `tcgen05`, for one CTA. Tensor memory is not modelled: loads from it give opaque values.
 * The matrices in shared memory that a product or a copy reads are read through the async proxy,
 * beside the thread, until its commit arrives at an mbarrier.
 *
 * @see PTX ISA, "TensorCore 5th Generation Family Instructions"
 */
export function lowerTensorMemory(instruction: PtxInstruction, lowering: Lowering): void {
  const { words } = instruction;
  if (words.includes('cta_group::2') || words.some((word) => word.startsWith('multicast'))) {
    return lowering.fail(
      'P2001',
      `${mnemonic(instruction)} works with two blocks of a cluster, which is not supported`,
      'build the kernel for .cta_group::1',
    );
  }
  const action = words[1] ?? '';
  const lower = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (lower === undefined) return lowering.fail('P2001', `${mnemonic(instruction)} is not supported`);
  lower(instruction, lowering);
}

/** An instruction about tensor memory only, or about the order of its accesses. */
const nothing: Lower = () => {};

const actions: Readonly<Record<string, Lower>> = Object.freeze({
  alloc,
  dealloc: nothing,
  relinquish_alloc_permit: nothing,
  ld: load,
  st: store,
  'wait::ld': nothing,
  'wait::st': nothing,
  shift: nothing,
  'fence::before_thread_sync': nothing,
  'fence::after_thread_sync': nothing,
  cp: copy,
  mma: product,
  commit,
});

/** One lane stores the address of the allocation, which is the same for all. */
function alloc(instruction: PtxInstruction, lowering: Lowering): void {
  operandsOf(instruction, lowering, 2);
  const { span } = lowering;
  lowering.memory(operandAt(instruction, lowering, 0), 'shared', scalarType('u32'), (pointer) => {
    lowering.emit({
      kind: 'if',
      condition: equal(laneId, u32(0)),
      then: [{ kind: 'store', pointer, value: u32(0), span }],
      else: [],
      span,
    });
  });
}

/** The values that this thread has put into tensor memory, as far as they are followed. */
function contentsOf(lowering: Lowering): Variable {
  const id = lowering.ownWord('tensor_memory');
  return { id, value: local(id, scalarType('u32')) };
}

function load(instruction: PtxInstruction, lowering: Lowering): void {
  const registers = elementsOf(operandAt(instruction, lowering, 0));
  const operands = [contentsOf(lowering).value, ...identityOf(lowering)];
  new OpaqueValues(instruction, lowering, operands).assign(registers);
}

function store(instruction: PtxInstruction, lowering: Lowering): void {
  put(lowering, wordsOf(lowering, instruction.operands.slice(1)));
}

function put(lowering: Lowering, words: readonly Expression[]): void {
  const contents = contentsOf(lowering);
  lowering.emit(set(lowering, contents, words.reduce(mixed, contents.value)));
}

const copiedRows: Readonly<Record<string, readonly [rows: number, bytes: 16 | 32]>> = Object.freeze({
  '128x256b': [128, 32],
  '4x256b': [4, 32],
  '128x128b': [128, 16],
  '64x128b': [64, 16],
  '32x128b': [32, 16],
});

function copy(instruction: PtxInstruction, lowering: Lowering): void {
  const shape = instruction.words.find((word) => Object.hasOwn(copiedRows, word)) ?? '';
  const size = copiedRows[shape];
  if (size === undefined) return lowering.fail('P1003', `${mnemonic(instruction)} needs a shape, such as .128x256b`);
  const [rows, rowBytes] = size;
  const matrix: SharedMatrix = {
    descriptor: lowering.keep('from', lowering.value(operandAt(instruction, lowering, 1), 'u64')),
    rows: u32(rows),
    rowBytes,
    isTransposed: constant('bool', false),
    perPart: 8,
    swizzles: 'tcgen05',
  };
  put(lowering, [readMatrices(lowering, [matrix], constant('bool', true))]);
}

function product(instruction: PtxInstruction, lowering: Lowering): void {
  const { words } = instruction;
  const [a, b, given] = [1, 2, 3].map((index) => operandAt(instruction, lowering, index));
  // The tensor memory with the places of the elements of a sparse A comes before the description.
  const about: PtxOperand | undefined = words.includes('sp') ? operandAt(instruction, lowering, 4) : given;
  if (a === undefined || b === undefined || about === undefined) return;
  const description = lowering.keep('description', lowering.value(about, 'u32'));
  const bits = (from: number, mask: number, unit: number): Expression =>
    binary('mul', and(binary('shr', description, u32(from)), u32(mask)), u32(unit));
  const isScaled = words.some((word) => word.startsWith('block_scale') || word.startsWith('kind::mx'));
  const perPart = words.includes('kind::tf32') ? 4 : words.includes('kind::f16') ? 8 : 16;
  const isMajor = (bit: number): Expression => compare('ne', bits(bit, 1, 1), u32(0));
  const matrices: SharedMatrix[] = [];
  const common = { perPart, swizzles: 'tcgen05' } as const;
  if (a.kind !== 'address') {
    const rows = isScaled ? bits(27, 3, 128) : bits(24, 31, 16);
    const descriptor = lowering.keep('a', lowering.value(a, 'u64'));
    matrices.push({ ...common, descriptor, rows, rowBytes: 32, isTransposed: isMajor(15) });
  }
  matrices.push({
    ...common,
    descriptor: lowering.keep('b', lowering.value(b, 'u64')),
    rows: bits(17, 63, 8),
    rowBytes: words.includes('sp') ? 64 : 32,
    isTransposed: isMajor(16),
  });
  put(lowering, [readMatrices(lowering, matrices, constant('bool', true))]);
}

/** The products and copies so far arrive at an mbarrier. The thread knows that they are over. */
function commit(instruction: PtxInstruction, lowering: Lowering): void {
  if (!instruction.words.includes('mbarrier::arrive::one')) {
    lowering.fail('P1003', `${mnemonic(instruction)} needs .mbarrier::arrive::one`);
  }
  operandsOf(instruction, lowering, 1);
  lowering.emit(checkerCall(lowering, 'bulk.commit', ['matrix']));
  lowering.emit(checkerCall(lowering, 'bulk.wait', ['matrix', 'written'], [u32(0)]));
  arriveAtMemoryBarrier(operandAt(instruction, lowering, 0), 'shared', lowering);
}
