import { binary, constant, convert, scalarType, select, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand } from '../syntax/module.ts';
import type { AddressRole } from './address-roles.ts';
import { rankOf, withRank } from './cluster-addresses.ts';
import type { InstructionLowering } from './lower-instruction.ts';
import type { OffsetForm } from './offsets.ts';
import { bytesAt } from './module-builder.ts';
import { advance, offsetAsU32, offsetAsU64, type Offset } from './pointer-arithmetic.ts';
import { genericTag } from './registers.ts';
import { bitsAs, bitsConstant } from './scalar-bits.ts';

/**
 * Lowers an instruction whose result is an address, or an offset for one. Returns false for all
 * others.
 */
export function lowerAddress(instruction: PtxInstruction, lowering: InstructionLowering): boolean {
  const [d] = instruction.operands;
  const [opcode] = instruction.words;
  const { registers } = lowering;
  if (d?.kind !== 'register') return false;
  if (opcode === 'getctarank') {
    const [, a] = instruction.operands;
    if (a === undefined) return false;
    lowering.assign(d, rankOf(lowering.narrow(a)));
    return true;
  }
  if (opcode === 'mapa') {
    mapAddress(d, instruction, lowering);
    return true;
  }
  if (registers.kind(d.name) !== 'u64') {
    // A 32-bit register may take the address of a shared variable.
    return false;
  }
  const form = registers.form(d.name);
  if (form !== undefined) {
    keepTerms(d.name, form, lowering);
    return true;
  }
  const role = registers.roles.of(d.name);
  if (opcode === 'cvta') {
    lowering.set(registers.localId(d.name), convertAddress(instruction, role, lowering));
    return true;
  }
  if (role.kind === 'word') return false;
  const value = role.kind === 'pointer' ? pointerValue(instruction, lowering) : narrowValue(instruction, lowering);
  if (value === undefined) return false;
  lowering.set(registers.localId(d.name), value);
  return true;
}

/**
 * Lowers `mapa`: the address of the same byte in another CTA of the cluster. Without a state space
 * the addresses are generic.
 */
function mapAddress(
  d: Extract<PtxOperand, { readonly kind: 'register' }>,
  { words, operands }: PtxInstruction,
  lowering: InstructionLowering,
): void {
  const [, a, b] = operands;
  if (a === undefined || b === undefined) return lowering.fail('P1003', 'mapa needs an address and a rank');
  const { registers } = lowering;
  const mapped = withRank(lowering.narrow(a), lowering.value(b, 'u32'));
  const isNarrow = registers.kind(d.name) === 'u64' && registers.roles.of(d.name).kind === 'narrow';
  if (isNarrow) return lowering.set(registers.localId(d.name), mapped);
  const isGeneric = registers.bytes(d.name) === 8 && words[1]?.startsWith('shared') !== true;
  const wide = convert(scalarType('u64'), mapped);
  lowering.assign(d, isGeneric ? binary('or', wide, constant('u64', genericTag.shared)) : mapped);
}

function keepTerms(name: string, form: OffsetForm, lowering: InstructionLowering): void {
  const { registers } = lowering;
  const ids = registers.terms(name, form);
  form.terms.forEach((term, index) => {
    const id = ids[index];
    if (id === undefined) return;
    if (term.kind === 'copy') lowering.set(id, registers.term(term.register, term.index));
    else if (term.kind === 'product') {
      const i64 = scalarType('i64');
      const left = convert(i64, lowering.value(term.left, term.scalar));
      lowering.set(id, binary('mul', left, convert(i64, lowering.value(term.right, term.scalar))));
    } else {
      const value = lowering.value(term.operand, term.scalar);
      const wide = scalarType(term.scalar.startsWith('i') ? 'i32' : 'u32');
      lowering.set(id, value.type === wide ? value : convert(wide, value));
    }
  });
}

/** The offset that an operand of an addition adds. */
function offsetOf(operand: PtxOperand, lowering: InstructionLowering): Offset {
  if (operand.kind === 'integer') return { terms: [], constant: operand.value };
  if (operand.kind === 'register' && lowering.registers.kind(operand.name) === 'u64') {
    return lowering.registers.offset(operand.name);
  }
  return { terms: [{ value: bitsAs(lowering.value(operand, 'u64'), 'i64'), scale: 1n }], constant: 0n };
}

function negative({ terms, constant: number }: Offset): Offset {
  return { terms: terms.map(({ value, scale }) => ({ value, scale: -scale })), constant: -number };
}

/** The address operand and the offset of an addition that moves an address. */
interface Sum {
  readonly address: PtxOperand;
  readonly by: Offset;
  /** True if the sum may be in other memory than the address. */
  readonly mayChangeMemory?: boolean;
}

function sumOf({ words, operands }: PtxInstruction, lowering: InstructionLowering): Sum | undefined {
  const [opcode] = words;
  const [, a, b, c] = operands;
  if (a === undefined || b === undefined) return undefined;
  if (opcode === 'sub') return { address: a, by: negative(offsetOf(b, lowering)) };
  if (opcode === 'add') {
    const which = lowering.registers.roles.addressOperand(a, b);
    if (which === undefined) return undefined;
    const [address, added] = which === 'first' ? [a, b] : [b, a];
    return { address, by: offsetOf(added, lowering), mayChangeMemory: lowering.registers.roles.isStride(added) };
  }
  if (opcode !== 'mad' || !words.includes('wide') || c === undefined) return undefined;
  return { address: c, by: product(a, b, words.at(-1) === 's32', lowering) };
}

function product(a: PtxOperand, b: PtxOperand, isSigned: boolean, lowering: InstructionLowering): Offset {
  const scalar = isSigned ? 'i32' : 'u32';
  const cut = (value: bigint): bigint => (isSigned ? BigInt.asIntN(32, value) : BigInt.asUintN(32, value));
  if (b.kind === 'integer') return { terms: [{ value: lowering.value(a, scalar), scale: cut(b.value) }], constant: 0n };
  const i64 = scalarType('i64');
  const left = convert(i64, lowering.value(a, scalar));
  return {
    terms: [{ value: binary('mul', left, convert(i64, lowering.value(b, scalar))), scale: 1n }],
    constant: 0n,
  };
}

function pointerValue(instruction: PtxInstruction, lowering: InstructionLowering): Expression | undefined {
  const [opcode] = instruction.words;
  const [, a, b, p] = instruction.operands;
  if (a === undefined) return undefined;
  if (opcode === 'mov') return a.kind === 'vector' ? undefined : lowering.pointer(a);
  if (opcode === 'selp') {
    if (b === undefined || p === undefined) return undefined;
    return select(lowering.predicate(p), lowering.pointer(a), lowering.pointer(b));
  }
  if (instruction.words.length !== 2 && opcode !== 'mad') return undefined;
  const sum = sumOf(instruction, lowering);
  if (sum === undefined) return undefined;
  if (sum.mayChangeMemory === true)
    return bytesAt(binary('add', lowering.value(sum.address, 'u64'), offsetAsU64(sum.by)));
  return advance(lowering.pointer(sum.address), sum.by);
}

function narrowValue(instruction: PtxInstruction, lowering: InstructionLowering): Expression | undefined {
  const [opcode] = instruction.words;
  const [, a, b, p] = instruction.operands;
  if (a === undefined) return undefined;
  if (opcode === 'mov') return a.kind === 'vector' ? undefined : lowering.narrow(a);
  if (opcode === 'selp') {
    if (b === undefined || p === undefined) return undefined;
    return select(lowering.predicate(p), lowering.narrow(a), lowering.narrow(b));
  }
  const sum = sumOf(instruction, lowering);
  if (sum === undefined) return undefined;
  const by = offsetAsU32(sum.by);
  const at = lowering.narrow(sum.address);
  return by.kind === 'constant' && by.value === 0 ? at : binary('add', at, by);
}

/** Lowers `cvta`, which converts an address of a space to a generic address, or back. */
function convertAddress(
  { words, operands }: PtxInstruction,
  role: AddressRole,
  lowering: InstructionLowering,
): Expression {
  const [, a] = operands;
  if (a === undefined) return lowering.fail('P1003', 'cvta needs an address');
  if (role.kind === 'pointer') return lowering.pointer(a);
  if (role.kind === 'narrow') return lowering.narrow(a);
  const isTo = words[1] === 'to';
  const space = (isTo ? words[2] : words[1])?.split('::')[0];
  const number = lowering.value(a, 'u64');
  const inSpace = space === 'param' ? 'local' : space;
  if (inSpace !== 'shared' && inSpace !== 'local') return number;
  return isTo
    ? binary('and', number, bitsConstant('u64', 0xffff_ffffn))
    : binary('or', number, constant('u64', genericTag[inSpace]));
}
