import { binary, convert, scalarType, type AtomicOp, type Expression, type Statement } from '@nccl-ts/ir';
import { scalarInfo, wordTable, type ScalarKind } from '@nccl-ts/core';
import { tensorMapTypes } from '../../tensor-map.ts';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { addressNumber } from './address-number.ts';
import { add, count, equal, set, u32, variable, when } from './build.ts';
import { checkerCall } from './checker-call.ts';
import { operandAt, operandsOf, readWords } from './read-words.ts';

type CopyReduction = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor';

const whole: readonly ScalarKind[] = ['u32', 'i32', 'u64', 'i64'];
const bits: readonly ScalarKind[] = ['u32', 'u64'];

/** The types of elements for each operation. */
const kindsOf: Readonly<Record<CopyReduction, readonly ScalarKind[]>> = Object.freeze({
  add: ['u32', 'i32', 'u64', 'f16', 'bf16', 'f32', 'f64'],
  min: [...whole, 'f16', 'bf16'],
  max: [...whole, 'f16', 'bf16'],
  and: bits,
  or: bits,
  xor: bits,
});

/** The words of operations. `inc` and `dec` are not supported. */
export const reductions: readonly string[] = Object.keys(kindsOf);

const kindOfWord: Readonly<Record<string, ScalarKind>> = wordTable({
  u32: 'u32',
  s32: 'i32',
  u64: 'u64',
  s64: 'i64',
  b32: 'u32',
  b64: 'u64',
  f16: 'f16',
  bf16: 'bf16',
  f32: 'f32',
  f64: 'f64',
});

/** The reduction of one element in shared memory into one in global memory. */
export interface ElementReduction {
  readonly word: string;
  /** The address of the element in shared memory, a u32. */
  readonly from: Expression;
  /** The address of the element in global memory, a u64. */
  readonly into: Expression;
}

/** A reduction of elements whose type a tensor map says. Other types are left out. */
export function reduceMapped(lowering: Lowering, element: ElementReduction, type: Expression): readonly Statement[] {
  return (kindsOfWord(element.word) ?? []).map((kind) =>
    when(lowering, equal(type, u32(tensorMapTypes.findIndex((one) => one === kind))), reduce(lowering, element, kind)),
  );
}

function reduce(lowering: Lowering, { word, from, into }: ElementReduction, kind: ScalarKind): readonly Statement[] {
  const { span } = lowering;
  const type = scalarType(kind);
  const value = variable(lowering, 'reduced', type);
  return [
    { kind: 'load', local: value.id, pointer: lowering.pointerAt('shared', from, type), span },
    {
      kind: 'atomic',
      op: operationOf(word),
      pointer: lowering.pointerAt('global', into, type),
      value: value.value,
      // These instructions have no scope to name.
      access: { order: 'relaxed', scope: 'device', unscoped: true },
      span,
    },
  ];
}

function kindsOfWord(word: string): readonly ScalarKind[] | undefined {
  return isReduction(word) ? kindsOf[word] : undefined;
}

function isReduction(word: string): word is CopyReduction {
  return Object.hasOwn(kindsOf, word);
}

function operationOf(word: string): Exclude<AtomicOp, 'cas'> {
  return isReduction(word) ? word : 'add';
}

/**
 * Lowers `cp.reduce.async.bulk` from shared to global memory: relaxed updates at GPU scope, one for
 * each element, that a checker sees as those of a bulk copy.
 */
export function lowerBulkReduction(instruction: PtxInstruction, lowering: Lowering): void {
  const name = mnemonic(instruction);
  const word = readWords(instruction, lowering, {
    reduce: ['reduce'],
    async: ['async'],
    bulk: ['bulk'],
    global: ['global'],
    shared: ['shared::cta'],
    completion: ['bulk_group'],
    hint: ['L2::cache_hint'],
    operation: reductions,
    rounding: ['noftz'],
    type: Object.keys(kindOfWord),
  });
  for (const slot of ['bulk', 'global', 'shared', 'completion'] as const) word.need(slot);
  const operation = word.need('operation');
  const kind = kindOfWord[word.need('type')] ?? 'u32';
  if (kindsOfWord(operation)?.includes(kind) !== true) {
    return lowering.fail('P2003', `${name} does not support .${operation} with .${word.need('type')}`);
  }
  operandsOf(instruction, lowering, 3 + (word.get('hint') === undefined ? 0 : 1));
  const into = lowering.keep('into', addressNumber(instruction, operandAt(instruction, lowering, 0), 'u64', lowering));
  const from = lowering.keep('from', addressNumber(instruction, operandAt(instruction, lowering, 1), 'u32', lowering));
  const bytes = lowering.keep('bytes', lowering.value(operandAt(instruction, lowering, 2), 'u32'));
  const { span } = lowering;
  const size = scalarInfo[kind].bytes;
  const index = variable(lowering, 'element', scalarType('u32'));
  const at = binary('mul', index.value, u32(size));
  const element = { word: operation, from: add(from, at), into: add(into, convert(scalarType('u64'), at)) };
  lowering.emit({
    kind: 'assert',
    condition: equal(binary('and', bytes, u32(15)), u32(0)),
    message: 'cp.reduce.async.bulk reduces a multiple of 16 bytes',
    span,
  });
  lowering.emit(checkerCall(lowering, 'bulk.begin'));
  lowering.emit(set(lowering, index, u32(0)));
  lowering.emit(count(lowering, index, binary('div', bytes, u32(size)), reduce(lowering, element, kind)));
  lowering.emit(checkerCall(lowering, 'bulk.copied'));
  lowering.emit(checkerCall(lowering, 'bulk.end', ['bulk']));
}
