import { approximate, wordTable, type ApproximateFidelity, type ScalarKind } from '@nccl-ts/core';
import { compare, pointerOffset, scalarType, select, type AtomicOp, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import {
  mnemonic,
  scopeWords,
  sharedSpaceWords,
  accessSpaceOf,
  updateAccessOf,
  widthOf,
} from '../instruction-parts.ts';
import { nameApproximation, type Lowering } from '../lowering.ts';
import { add, either, equal, sub, u32, variable, type Variable } from './build.ts';
import { joined, partsOf, shapeOf, type RegisterContents } from './packed-parts.ts';
import { elementsOf, operandsOf, readWords } from './read-words.ts';
import { emitUpdate, type Update } from './update-memory.ts';

const sums: readonly string[] = ['u32', 's32', 'u64', 'f32', 'f64', 'f16', 'f16x2', 'bf16', 'bf16x2'];
const orders: readonly string[] = ['u32', 's32', 'u64', 's64'];
const halves: readonly string[] = ['f16', 'f16x2', 'bf16', 'bf16x2'];
const bits: readonly string[] = ['b32', 'b64'];

/** The types that each operation supports. */
const typesByOperation: Readonly<Record<string, readonly string[]>> = wordTable({
  add: sums,
  inc: ['u32'],
  dec: ['u32'],
  min: orders,
  max: orders,
  and: bits,
  or: bits,
  xor: bits,
  exch: bits,
  cas: ['b16', 'b32', 'b64'],
});

/** The types that are supported in vectors. */
const vectorTypes: Readonly<Record<string, readonly string[]>> = wordTable({
  add: ['f32', ...halves],
  min: halves,
  max: halves,
});

/** The operations that have the same name in the IR. */
const operations = ['add', 'min', 'max', 'and', 'or', 'xor', 'exch'] as const satisfies readonly AtomicOp[];

/** Lowers `atom`, an update that returns the previous value. */
export function lowerAtom(instruction: PtxInstruction, lowering: Lowering): void {
  const { name, width, shape } = readUpdate(instruction, lowering);
  const [result, address, ...values] = operandsOfUpdate(instruction, lowering, name, 2);
  if (result === undefined || address === undefined) return;
  const before = emitUpdates(instruction, lowering, { name, width, shape }, address, values, true);
  elementsOf(result).forEach((register, index) => {
    const parts = before.slice(index * shape.parts, (index + 1) * shape.parts).map(({ value }) => value);
    lowering.assign(register, joined(shape, parts));
  });
}

/** Lowers `red`, an update without a result. */
export function lowerRed(instruction: PtxInstruction, lowering: Lowering): void {
  if (instruction.words[1] === 'async') return lowerAsyncRed(instruction, lowering);
  const update = readUpdate(instruction, lowering);
  if (update.name === 'exch' || update.name === 'cas') {
    lowering.fail('P1003', `${mnemonic(instruction)} cannot use .${update.name}, which needs a result: use atom`);
  }
  const [address, ...values] = operandsOfUpdate(instruction, lowering, update.name, 1);
  if (address !== undefined) emitUpdates(instruction, lowering, update, address, values, false);
}

export const asyncUpdates: ApproximateFidelity = approximate('red.async of global memory as red, performed at once');

/**
 * Lowers `red.async` to global memory: a release that no later instruction of the thread waits for.
 * Here it is performed at once.
 *
 * @see PTX ISA, `red.async`
 */
function lowerAsyncRed(instruction: PtxInstruction, lowering: Lowering): void {
  const { words } = instruction;
  const word = readWords(instruction, lowering, {
    async: ['async'],
    mmio: ['mmio'],
    order: ['release'],
    scope: scopeWords,
    space: ['global'],
    operation: ['add'],
    type: ['u32', 's32', 'u64'],
  });
  for (const slot of ['order', 'scope', 'operation', 'type'] as const) word.need(slot);
  nameApproximation(asyncUpdates, lowering);
  lowerRed({ ...instruction, words: [words[0], ...words.slice(2).filter((one) => one !== 'mmio')] }, lowering);
}

interface ReadUpdate {
  readonly name: string;
  /** The number of registers. */
  readonly width: number;
  /** The contents of each register. */
  readonly shape: RegisterContents;
}

function readUpdate(instruction: PtxInstruction, lowering: Lowering): ReadUpdate {
  const word = readWords(instruction, lowering, {
    order: ['relaxed', 'acquire', 'release', 'acq_rel'],
    scope: scopeWords,
    space: sharedSpaceWords,
    operation: Object.keys(typesByOperation),
    rounding: ['noftz'],
    hint: ['L2::cache_hint'],
    width: ['v2', 'v4', 'v8'],
    type: [...new Set([...sums, ...orders, ...bits, 'b16', 'b128'])],
  });
  const name = word.need('operation');
  const type = word.need('type');
  if (type === 'b128') {
    return lowering.fail(
      'P2003',
      `${mnemonic(instruction)} is an atomic of .b128, which would become several accesses here`,
      'update 8 bytes, and order the other accesses by that',
    );
  }
  if (!halves.includes(type)) word.forbid('rounding');
  const allowed = (word.get('width') === undefined ? typesByOperation : vectorTypes)[name] ?? [];
  const shape = allowed.includes(type) ? shapeOf(type) : undefined;
  if (shape === undefined) {
    return lowering.fail(
      'P2003',
      `${mnemonic(instruction)} does not support .${name} with .${type}`,
      allowed.length === 0 ? undefined : `use one of ${allowed.map((known) => `.${known}`).join(', ')}`,
    );
  }
  return { name, width: widthOf(instruction), shape };
}

/** The operands without a cache hint, which has no effect. */
function operandsOfUpdate(
  instruction: PtxInstruction,
  lowering: Lowering,
  name: string,
  before: number,
): readonly PtxOperand[] {
  const hints = instruction.words.includes('L2::cache_hint') ? 1 : 0;
  const wanted = before + (name === 'cas' ? 2 : 1);
  return operandsOf(instruction, lowering, wanted + hints).slice(0, wanted);
}

/** Emits one update for each part, and returns the previous values. */
function emitUpdates(
  instruction: PtxInstruction,
  lowering: Lowering,
  { name, width, shape }: ReadUpdate,
  address: PtxOperand,
  values: readonly PtxOperand[],
  keeps: boolean,
): readonly Variable[] {
  const registers = values.map((value) => elementsOf(value));
  if (registers.some(({ length }) => length !== width)) {
    lowering.fail('P1003', `${mnemonic(instruction)} needs ${width} registers`);
  }
  const kind = kindFor(name, shape.kind);
  const parts = registers.map((elements) => elements.flatMap((element) => partsOf(lowering, element, shape, kind)));
  const [operands = [], second] = parts;
  const updates = operands.map((operand, index) => updateOf(lowering, name, operand, second?.[index]));
  const before = keeps ? updates.map(() => variable(lowering, 'before', scalarType(kind))) : [];
  const access = updateAccessOf(instruction);
  lowering.memory(address, accessSpaceOf(instruction), scalarType(kind), (pointer) => {
    updates.forEach((update, index) => {
      const part = index === 0 ? pointer : pointerOffset(pointer, u32(index));
      emitUpdate(lowering, part, update, access, before[index]);
    });
  });
  return before;
}

/** The type of an update: bits, unless it computes with numbers. */
function kindFor(name: string, kind: ScalarKind): ScalarKind {
  return name === 'add' && kind === 'i32' ? 'u32' : kind;
}

/** The effect of an operation with this operand, and for `cas` a second one. */
export function updateOf(lowering: Lowering, name: string, operand: Expression, second?: Expression): Update {
  switch (name) {
    case 'inc':
      return {
        kind: 'function',
        next: (seen) => select(compare('ge', seen, operand), u32(0), add(seen, u32(1))),
      };
    case 'dec':
      return {
        kind: 'function',
        next: (seen) => select(either(equal(seen, u32(0)), compare('gt', seen, operand)), operand, sub(seen, u32(1))),
      };
    case 'cas': {
      const value = second ?? lowering.fail('P1003', 'atom.cas needs a new value');
      return { kind: 'cas', expected: operand, value };
    }
    default: {
      const op =
        operations.find((one) => one === name) ?? lowering.fail('P2001', `.${name} is not an atomic operation`);
      return { kind: 'operation', op, value: operand };
    }
  }
}
