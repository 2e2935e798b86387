import { constant, vector, vectorType } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import type { InstructionLowering, Lowering } from '../lowering.ts';
import { operandAt, operandsOf, readWords, type WordAlternatives } from './read-words.ts';

/**
 * An instruction that changes no value that a program can read. It concerns time, caches, registers
 * or tools.
 */
function hint(least: number, most: number, slots: WordAlternatives): InstructionLowering {
  return (instruction, lowering) => {
    readWords(instruction, lowering, slots);
    operandsOf(instruction, lowering, least, most);
  };
}

const space: readonly string[] = ['global', 'local', 'const', 'param', 'shared'];
const levels: readonly string[] = ['L1', 'L2', 'L2::evict_last', 'L2::evict_normal', 'L1::evict_last'];

export const prefetch: InstructionLowering = hint(1, 1, { space, level: levels, tensormap: ['tensormap'] });
export const prefetchu: InstructionLowering = hint(1, 1, { level: levels });
export const applyPriority: InstructionLowering = hint(2, 2, { space, level: levels });
/**
 * Lowers `discard{.global}.L2 [a], 128`, which writes indeterminate values: the bytes must be
 * written again before they are read.
 */
export function discard(instruction: PtxInstruction, lowering: Lowering): void {
  readWords(instruction, lowering, { space: ['global'], level: ['L2'] });
  operandsOf(instruction, lowering, 2);
  const address = operandAt(instruction, lowering, 0);
  const type = vectorType('u32', 4);
  const zeros = vector(
    type,
    Array.from({ length: 4 }, () => constant('u32', 0)),
  );
  for (let at = 0; at < DISCARDED; at += 16) {
    const part = address.kind === 'address' ? { ...address, offset: address.offset + BigInt(at) } : address;
    lowering.memory(part, 'global', type, (pointer) => {
      lowering.emit({ kind: 'store', pointer, value: zeros, span: lowering.span });
    });
  }
}

/** The bytes that `discard` destroys. */
const DISCARDED = 128;

export const nanosleep: InstructionLowering = hint(1, 1, { type: ['u32'] });
export const setMaxRegisters: InstructionLowering = hint(1, 1, {
  action: ['inc', 'dec'],
  sync: ['sync'],
  aligned: ['aligned'],
  type: ['u32'],
});
export const breakpoint: InstructionLowering = hint(0, 0, {});
export const monitorEvent: InstructionLowering = hint(1, 1, { mask: ['mask'] });

const priorities: readonly string[] = ['evict_last', 'evict_normal', 'evict_first', 'evict_unchanged'];

/** Lowers `createpolicy`. Caches are not modelled, so the result is a meaningless number. */
export function lowerCreatePolicy(instruction: PtxInstruction, lowering: Lowering): void {
  readWords(instruction, lowering, {
    kind: ['fractional', 'range'],
    space: ['global'],
    primary: priorities.map((priority) => `L2::${priority}`),
    type: ['b64'],
  });
  lowering.assign(operandAt(instruction, lowering, 0), constant('u64', 0n));
}

/** Lowers `trap`, which makes the kernel fail. */
export function lowerTrap(instruction: PtxInstruction, lowering: Lowering): void {
  readWords(instruction, lowering, {});
  operandsOf(instruction, lowering, 0);
  lowering.emit({
    kind: 'assert',
    condition: constant('bool', false),
    message: instruction.trap ?? 'trap',
    span: lowering.span,
  });
}
