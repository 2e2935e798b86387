import { at, wordTable } from '@nccl-ts/core';
import type { PtxBody, PtxInstruction, PtxOperand } from '../syntax/module.ts';
import { setBy } from './instruction-parts.ts';
import type { AddressRoles } from './address-roles.ts';
import type { RegisterKind } from './register-kinds.ts';

/**
 * The formula of a register that is set once: `(sum of terms) + constant`. Each term is a 32-bit or
 * 64-bit number times a scale.
 */
export interface OffsetForm {
  readonly terms: readonly OffsetTerm[];
  readonly constant: bigint;
}

export type OffsetTerm =
  /** An operand, widened by its sign. */
  | { readonly kind: 'operand'; readonly operand: PtxOperand; readonly scalar: NarrowScalar; readonly scale: bigint }
  /** The product of two operands, as 64 bits. */
  | {
      readonly kind: 'product';
      readonly left: PtxOperand;
      readonly right: PtxOperand;
      readonly scalar: NarrowScalar;
      readonly scale: bigint;
    }
  /** Term number `index` of another such register. */
  | { readonly kind: 'copy'; readonly register: string; readonly index: number; readonly scale: bigint };

export type NarrowScalar = 'i32' | 'u32' | 'i16' | 'u16' | 'i8' | 'u8';

/** The most terms of a formula. If there are more, they are added in 64 bits. */
const MOST_TERMS = 4;

const narrow: Readonly<Record<string, NarrowScalar>> = wordTable({
  s32: 'i32',
  u32: 'u32',
  s16: 'i16',
  u16: 'u16',
  s8: 'i8',
  u8: 'u8',
});

/**
 * The formulas of registers that are added to addresses. They avoid 64-bit arithmetic, which is
 * slow in host languages without it.
 */
export function offsetForms(
  body: PtxBody,
  kinds: ReadonlyMap<string, RegisterKind>,
  roles: AddressRoles,
): ReadonlyMap<string, OffsetForm> {
  const definitions = new Map<string, PtxInstruction | undefined>();
  for (const item of body.items) {
    if (item.kind === 'label') continue;
    for (const name of setBy(item)) definitions.set(name, definitions.has(name) ? undefined : item);
  }
  const forms = new Map<string, OffsetForm>();
  for (let before = -1; before !== forms.size;) {
    before = forms.size;
    for (const [name, item] of definitions) {
      if (item === undefined || forms.has(name) || kinds.get(name) !== 'u64' || isAddress(name, roles)) continue;
      const form = formOf(item, forms);
      if (form !== undefined && form.terms.length <= MOST_TERMS) forms.set(name, form);
    }
  }
  return forms;
}

function isAddress(name: string, roles: AddressRoles): boolean {
  return roles.of(name).kind !== 'word';
}

function formOf(item: PtxInstruction, forms: ReadonlyMap<string, OffsetForm>): OffsetForm | undefined {
  const { words, operands } = item;
  const [opcode] = words;
  const [, a, b, c] = operands;
  if (operands[0]?.kind !== 'register' || a === undefined) return undefined;
  const type = at(words, words.length - 1);
  switch (opcode) {
    case 'mov':
      return is64(type) ? known(a, forms) : undefined;
    case 'cvt': {
      const from = narrow[type];
      return words.length === 3 && is64(at(words, 1)) && from !== undefined ? termOf(a, from, 1n) : undefined;
    }
    case 'shl':
      return b?.kind === 'integer' && b.value < 64n ? scaled(known(a, forms), 1n << b.value) : undefined;
    case 'mul':
      if (words.includes('wide')) return wide(a, b, type);
      return words[1] === 'lo' && is64(type) && b?.kind === 'integer' ? scaled(known(a, forms), b.value) : undefined;
    case 'mad':
      return words.includes('wide') ? sum(wide(a, b, type), known(c, forms)) : undefined;
    case 'add':
      return words.length === 2 && is64(type) ? sum(known(a, forms), known(b, forms)) : undefined;
    case 'sub':
      return words.length === 2 && is64(type) ? sum(known(a, forms), scaled(known(b, forms), -1n)) : undefined;
    case 'neg':
      return is64(type) ? scaled(known(a, forms), -1n) : undefined;
    default:
      return undefined;
  }
}

function is64(type: string): boolean {
  return type === 's64' || type === 'u64' || type === 'b64';
}

/** The form of an operand, as copies of its terms. */
function known(operand: PtxOperand | undefined, forms: ReadonlyMap<string, OffsetForm>): OffsetForm | undefined {
  if (operand?.kind === 'integer') return { terms: [], constant: operand.value };
  if (operand?.kind !== 'register') return undefined;
  const form = forms.get(operand.name);
  if (form === undefined) return undefined;
  return {
    terms: form.terms.map(({ scale }, index) => ({ kind: 'copy', register: operand.name, index, scale })),
    constant: form.constant,
  };
}

function termOf(operand: PtxOperand, scalar: NarrowScalar, scale: bigint): OffsetForm {
  return { terms: [{ kind: 'operand', operand, scalar, scale }], constant: 0n };
}

function wide(a: PtxOperand, b: PtxOperand | undefined, type: string): OffsetForm | undefined {
  const scalar = narrow[type];
  if (scalar === undefined || b === undefined) return undefined;
  const bits = type.endsWith('32') ? 32 : 16;
  const cut = (value: bigint): bigint =>
    type.startsWith('s') ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  if (b.kind === 'integer') return termOf(a, scalar, cut(b.value));
  if (a.kind === 'integer') return termOf(b, scalar, cut(a.value));
  return { terms: [{ kind: 'product', left: a, right: b, scalar, scale: 1n }], constant: 0n };
}

function scaled(form: OffsetForm | undefined, by: bigint): OffsetForm | undefined {
  if (form === undefined) return undefined;
  return { terms: form.terms.map((term) => ({ ...term, scale: term.scale * by })), constant: form.constant * by };
}

function sum(a: OffsetForm | undefined, b: OffsetForm | undefined): OffsetForm | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { terms: [...a.terms, ...b.terms], constant: a.constant + b.constant };
}
