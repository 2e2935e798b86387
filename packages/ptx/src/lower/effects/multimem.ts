import { at, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  binary,
  compare,
  constant,
  convert,
  multicastSize,
  pointerOffset,
  scalarType,
  unicastPointer,
  vector,
  vectorType,
  type AtomicAccess,
  type BinaryOp,
  type Expression,
  type Statement,
  type ValueType,
} from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { accessOf, mnemonic, scopeWords, updateAccessOf, widthOf } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { count, set, u32, variable } from './build.ts';
import { joined, partsOf, shapeOf, type RegisterContents } from './packed-parts.ts';
import { elementsOf, operandAt, operandsOf, readWords } from './read-words.ts';

const integers: readonly string[] = ['u32', 's32', 'u64', 's64'];
const bits: readonly string[] = ['b32', 'b64'];
const halves: readonly string[] = ['f16', 'f16x2', 'bf16', 'bf16x2'];
const floats: readonly string[] = ['f32', 'f64'];

/** The most bytes that an access of the IR may have. */
const MOST_BYTES = 16;

interface MulticastReduction {
  readonly op: BinaryOp & AtomicReduction;
  /** The operators of `ld_reduce`. */
  readonly loads: readonly string[];
  /** The operators of `red`. */
  readonly updates: readonly string[];
}

type AtomicReduction = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor';

const reductions: Readonly<Partial<Record<string, MulticastReduction>>> = {
  add: { op: 'add', loads: [...integers, ...halves, ...floats], updates: [...integers, ...halves, ...floats] },
  min: { op: 'min', loads: [...integers, ...halves], updates: integers },
  max: { op: 'max', loads: [...integers, ...halves], updates: integers },
  and: { op: 'and', loads: bits, updates: bits },
  or: { op: 'or', loads: bits, updates: bits },
  xor: { op: 'xor', loads: bits, updates: bits },
};

/**
 * Lowers `multimem.ld_reduce`, `multimem.st` and `multimem.red` on multicast addresses, copy by
 * copy.
 */
export function lowerMultimem(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    action: ['ld_reduce', 'st', 'red'],
    order: ['weak', 'relaxed', 'acquire', 'release'],
    scope: scopeWords,
    space: ['global'],
    operation: Object.keys(reductions),
    accumulator: ['acc::f32'],
    width: ['v2', 'v4', 'v8'],
    type: [...integers, ...bits, ...halves, ...floats],
  });
  const type = word.need('type');
  const shape = shapeOf(type);
  const action = word.need('action');
  if (action !== 'ld_reduce') word.forbid('accumulator');
  if (action === 'st') word.forbid('operation');
  if (!halves.includes(type)) word.forbid('accumulator');
  const reduction = action === 'st' ? undefined : reductions[word.need('operation')];
  const allowed = action === 'ld_reduce' ? reduction?.loads : reduction?.updates;
  if (shape === undefined || allowed?.includes(type) === false) {
    return lowering.fail(
      'P2003',
      `${mnemonic(instruction)} does not support .${word.get('operation') ?? action} with .${type}`,
    );
  }
  const accesses = accessesOf(instruction, lowering, action, word.get('order'));
  operandsOf(instruction, lowering, 2);
  const [first, second] = [operandAt(instruction, lowering, 0), operandAt(instruction, lowering, 1)];
  const [address, registers] = action === 'ld_reduce' ? [second, first] : [first, second];
  const elements = elementsOf(registers);
  if (elements.length !== widthOf(instruction)) {
    lowering.fail('P1003', `${mnemonic(instruction)} needs ${widthOf(instruction)} registers`);
  }
  if (action === 'ld_reduce') {
    if (reduction !== undefined) loadReduced(lowering, address, elements, shape, reduction.op, accesses);
    return;
  }
  if (action === 'st' && accesses.access === undefined) {
    return storeWhole(lowering, address, elements, shape);
  }
  const values = elements.flatMap((element) => partsOf(lowering, element, shape));
  onAllCopies(lowering, address, scalarType(shape.kind), (pointer) =>
    values.map((value, index): Statement => {
      const part = { pointer: pointerOffset(pointer, u32(index)), value, span: lowering.span };
      if (reduction === undefined) return { kind: 'store', ...part, ...accesses };
      return { kind: 'atomic', op: reduction.op, ...part, access: updateAccessOf(instruction) };
    }),
  );
}

/**
 * Emits the stores of a weak `multimem.st`. Like those of `st`, they are as wide as the registers
 * are together.
 *
 * @see PTX ISA, 8.2.2: an access by a vector is one of each element, but GPUs perform it at once
 */
function storeWhole(
  lowering: Lowering,
  address: PtxOperand,
  registers: readonly PtxOperand[],
  shape: RegisterContents,
): void {
  // A packed register is one word.
  const kind = shape.parts === 1 ? shape.kind : 'u32';
  const values = registers.map((register) => lowering.value(register, kind));
  const width = Math.min(values.length, MOST_BYTES / scalarInfo[kind].bytes);
  const type = width === 1 ? scalarType(kind) : vectorType(kind, width);
  onAllCopies(lowering, address, type, (pointer) =>
    Array.from({ length: values.length / width }, (_, index): Statement => {
      const part = values.slice(index * width, (index + 1) * width);
      return {
        kind: 'store',
        pointer: pointerOffset(pointer, u32(index)),
        value: type.kind === 'vector' ? vector(type, part) : at(part, 0),
        span: lowering.span,
      };
    }),
  );
}

interface Accesses {
  readonly access?: AtomicAccess;
}

/** Loads and stores are weak by default, and updates are relaxed. */
function accessesOf(
  instruction: PtxInstruction,
  lowering: Lowering,
  action: string,
  order: string | undefined,
): Accesses {
  const wrong = action === 'ld_reduce' ? 'release' : 'acquire';
  if (order === wrong || (order === 'weak' && action === 'red')) {
    lowering.fail('P1003', `${mnemonic(instruction)} cannot be .${order}`);
  }
  const isWeak = order === 'weak' || (order === undefined && action !== 'red');
  return isWeak ? {} : { access: accessOf(instruction, 'relaxed', 'device') };
}

/** Emits code that combines all copies. 16-bit floats are added as f32 and rounded once. */
function loadReduced(
  lowering: Lowering,
  address: PtxOperand,
  registers: readonly PtxOperand[],
  shape: RegisterContents,
  op: BinaryOp,
  accesses: Accesses,
): void {
  const { span } = lowering;
  const element = scalarType(shape.kind);
  const wide = scalarType(accumulatorOf(shape.kind));
  const sums = registers.flatMap(() => Array.from({ length: shape.parts }, () => variable(lowering, 'all', wide)));
  const one = variable(lowering, 'one', element);
  lowering.memory(address, 'global', element, (pointer) => {
    const base = multicastBase(lowering, pointer);
    const look = (
      member: Expression,
      take: (all: (typeof sums)[number], value: Expression) => Statement,
    ): Statement[] =>
      sums.flatMap((all, index) => {
        const copy = pointerOffset(unicastPointer(base, member), u32(index));
        const load: Statement = { kind: 'load', local: one.id, pointer: copy, ...accesses, span };
        return [load, take(all, wide === element ? one.value : convert(wide, one.value))];
      });
    for (const statement of look(constant('i32', 0), (all, value) => set(lowering, all, value))) {
      lowering.emit(statement);
    }
    const member = variable(lowering, 'member', scalarType('i32'));
    lowering.emit(set(lowering, member, constant('i32', 1)));
    lowering.emit(
      count(
        lowering,
        member,
        multicastSize(base),
        look(member.value, (all, value) => set(lowering, all, binary(op, all.value, value))),
      ),
    );
  });
  registers.forEach((register, index) => {
    const parts = sums.slice(index * shape.parts, (index + 1) * shape.parts);
    const values = parts.map(({ value }) => (wide === element ? value : convert(element, value)));
    lowering.assign(register, joined(shape, values));
  });
}

function accumulatorOf(kind: ScalarKind): ScalarKind {
  return kind === 'f16' || kind === 'bf16' ? 'f32' : kind;
}

/** Emits the operation on each copy behind a multicast address. */
function onAllCopies(
  lowering: Lowering,
  address: PtxOperand,
  type: ValueType,
  act: (copy: Expression) => readonly Statement[],
): void {
  lowering.memory(address, 'global', type, (pointer) => {
    const base = multicastBase(lowering, pointer);
    const member = variable(lowering, 'member', scalarType('i32'));
    lowering.emit(set(lowering, member, constant('i32', 0)));
    lowering.emit(count(lowering, member, multicastSize(base), act(unicastPointer(base, member.value))));
  });
}

/** The pointer. The caller must pass a multicast address. */
function multicastBase(lowering: Lowering, pointer: Expression): Expression {
  const base = lowering.keep('multicast', pointer);
  lowering.emit({
    kind: 'assert',
    condition: compare('gt', multicastSize(base), constant('i32', 0)),
    message: 'multimem.* got a null or an ordinary address: pass a multicast address of a team that contains this rank',
    contract: true,
    span: lowering.span,
  });
  return base;
}
