import type { PtxBody, PtxInstruction, PtxOperand, PtxType } from '../syntax/module.ts';
import { bytesOf, registersIn, typesOf } from './instruction-parts.ts';

/** The type of the local that holds a register. `b128` is a vector of four u32. */
export type RegisterKind = 'bool' | 'u16' | 'u32' | 'f32' | 'u64' | 'f64' | 'b128';

/** Opcodes that move bits without a type. */
const movesBits: ReadonlySet<string> = new Set(['mov', 'ld', 'ldu', 'st', 'selp', 'shfl']);

/**
 * Finds the kind of each register. Newer compilers declare both integers and floats as `.b32`. Such
 * a register is a float if only float instructions use its value.
 */
export function registerKinds({ registers, items }: PtxBody): ReadonlyMap<string, RegisterKind> {
  const floats = new Set<string>();
  const integers = new Set<string>();
  for (const item of items) {
    if (item.kind === 'label') continue;
    item.operands.forEach((operand, index) => {
      const vote = voteOf(item, operand, index);
      if (vote === undefined) return;
      for (const name of registersIn(operand)) (vote === 'f32' ? floats : integers).add(name);
    });
  }
  const kinds = new Map<string, RegisterKind>();
  for (const [name, type] of registers) kinds.set(name, kindOf(type, floats.has(name) && !integers.has(name)));
  return kinds;
}

function kindOf(type: PtxType, isFloat: boolean): RegisterKind {
  if (type === 'pred') return 'bool';
  switch (bytesOf(type)) {
    case 1:
    case 2:
      return 'u16';
    case 4:
      return type === 'f32' || (type === 'b32' && isFloat) ? 'f32' : 'u32';
    case 8:
      return type === 'f64' ? 'f64' : 'u64';
    default:
      return 'b128';
  }
}

/** The kind that an instruction implies for a 32-bit operand. */
function voteOf(instruction: PtxInstruction, operand: PtxOperand, index: number): 'f32' | 'integer' | undefined {
  const types = typesOf(instruction);
  const [opcode] = instruction.words;
  if (operand.kind === 'address') return 'integer';
  // The registers of A and B hold several elements each.
  if ((opcode === 'mma' || opcode === 'wgmma') && (index === 1 || index === 2)) return 'integer';
  const type = opcode === 'cvt' && index > 0 ? (types[1] ?? types[0]) : types[0];
  if (type === 'f32') return 'f32';
  // A `mov` packs or unpacks the bits of an integer, but a load may set elements of any kind.
  const isPacked = operand.kind === 'vector' && opcode === 'mov';
  return type === 'b32' && movesBits.has(opcode) && !isPacked ? undefined : 'integer';
}
