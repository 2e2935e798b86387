import { at, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  lane,
  local,
  pointerOffset,
  scalarType,
  vector,
  vectorType,
  type AtomicAccess,
  type Expression,
  type StoreStatement,
  type ValueType,
} from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand, PtxType } from '../syntax/module.ts';
import { accessWords } from './access-words.ts';
import { emitStores } from './broadcast-store.ts';
import { mnemonic, type AccessSpace } from './instruction-parts.ts';
import type { InstructionLowering } from './lower-instruction.ts';
import { u32Constant } from './module-builder.ts';
import type { ParamMemory } from './param-memory.ts';
import { assignWidened, elementScalarOf } from './widened.ts';

/** The sizes in bytes that an access of the IR may have. */
const MOST_BYTES = 16;

/** Lowers `ld` and `st` in all their forms. */
export function lowerAccess(instruction: PtxInstruction, lowering: InstructionLowering, params: ParamMemory): void {
  const [opcode] = instruction.words;
  const words = accessWords(instruction);
  if ('unknown' in words) {
    return lowering.fail(
      'P2002',
      `${mnemonic(instruction)} has the modifier .${words.unknown}, which is not supported`,
    );
  }
  if ('misfit' in words) {
    return lowering.fail('P1003', `${mnemonic(instruction)} ${words.misfit}`);
  }
  const [first, second] = instruction.operands;
  const isLoad = opcode !== 'st';
  const address = isLoad ? second : first;
  const values = isLoad ? first : second;
  if (address === undefined || values === undefined) {
    return lowering.fail('P1003', `${mnemonic(instruction)} has too few operands`);
  }
  const elements = values.kind === 'vector' ? values.elements : [values];
  if (elements.length !== words.width) {
    return lowering.fail('P1003', `${mnemonic(instruction)} needs ${words.width} values and has ${elements.length}`);
  }
  const { type, space, access } = words;
  const isNonCoherent = instruction.words.includes('nc');
  if (space === 'const' && !isLoad) {
    return lowering.fail('P2005', `${mnemonic(instruction)} stores to constant memory, which is read-only`);
  }
  if (space === 'param' && params.access(isLoad, address, elements, type, lowering)) return;
  const inSpace = space === 'param' ? 'local' : space;
  if (isLoad && access === undefined && inSpace !== 'local') lowering.builder.noteWeakLoad(lowering.span, instruction);
  if (type === 'b128') return wholeLine(isLoad, address, elements, inSpace, access, lowering);
  const scalar = elementScalarOf(type, elements, lowering);
  const size = scalarInfo[scalar].bytes;
  // PTX ISA: a strong vector access is one strong access for each element, in no particular order.
  const most = access === undefined ? Math.min(elements.length, MOST_BYTES / size) : 1;
  const element: ValueType = most === 1 ? scalarType(scalar) : vectorType(scalar, most);
  const parts = Array.from({ length: elements.length / most }, (_, number): InstructionAccess => {
    const index = number * most;
    const isPart = access !== undefined && elements.length > 1;
    const own = isPart ? { ...access, part: { index, of: elements.length } } : access;
    return { number, elements: elements.slice(index, index + most), access: own, isNonCoherent };
  });
  lowering.memory(address, inSpace, element, (pointer) => {
    if (isLoad) for (const part of parts) load(pointer, element, part, type, lowering);
    else emitStores(pointer, lowering, (to) => parts.map((part) => storeOf(to, element, scalar, part, lowering)));
  });
}

/** One access of an instruction. */
interface InstructionAccess {
  readonly number: number;
  readonly elements: readonly PtxOperand[];
  readonly access: AtomicAccess | undefined;
  readonly isNonCoherent: boolean;
}

function partAt(pointer: Expression, { number }: InstructionAccess): Expression {
  return number === 0 ? pointer : pointerOffset(pointer, u32Constant(number));
}

function load(
  pointer: Expression,
  element: ValueType,
  part: InstructionAccess,
  type: PtxType,
  lowering: InstructionLowering,
): void {
  const id = lowering.local('loaded', element);
  const { access } = part;
  lowering.emit({
    kind: 'load',
    local: id,
    pointer: partAt(pointer, part),
    span: lowering.span,
    ...(access === undefined ? {} : { access }),
    ...(part.isNonCoherent ? { isNonCoherent: true } : {}),
  });
  const loaded = local(id, element);
  part.elements.forEach((result, index) => {
    const value = element.kind === 'vector' ? lane(loaded, u32Constant(index)) : loaded;
    assignWidened(result, value, type, lowering);
  });
}

function storeOf(
  pointer: Expression,
  element: ValueType,
  scalar: ScalarKind,
  part: InstructionAccess,
  lowering: InstructionLowering,
): StoreStatement {
  const values = part.elements.map((operand) => lowering.value(operand, scalar));
  const { access } = part;
  return {
    kind: 'store',
    pointer: partAt(pointer, part),
    value: element.kind === 'vector' ? vector(element, values) : at(values, 0),
    span: lowering.span,
    ...(access === undefined ? {} : { access }),
  };
}

/**
 * Lowers an access of 16 bytes as one value. PTX performs it at once, with or without an order.
 *
 * @see PTX ISA, 8.2.2: a vector access is one of each element, but `.b128` is a scalar type
 */
function wholeLine(
  isLoad: boolean,
  address: PtxOperand,
  elements: readonly PtxOperand[],
  space: Exclude<AccessSpace, 'param'> | undefined,
  access: AtomicAccess | undefined,
  lowering: InstructionLowering,
): void {
  const [operand] = elements;
  if (operand?.kind !== 'register' || lowering.registers.kind(operand.name) !== 'b128') {
    return lowering.fail('P1003', 'an access of .b128 needs a 128-bit register');
  }
  const type = vectorType('u32', 4);
  const value = lowering.registers.local(operand.name);
  const ordered = access === undefined ? {} : { access };
  const { span } = lowering;
  lowering.memory(address, space, type, (pointer) => {
    if (isLoad) {
      lowering.emit({ kind: 'load', local: lowering.registers.localId(operand.name), pointer, span, ...ordered });
    } else {
      emitStores(pointer, lowering, (to) => [{ kind: 'store', pointer: to, value, span, ...ordered }]);
    }
  });
}
