import {
  binary,
  compare,
  constant,
  convert,
  logical,
  pointerOffset,
  scalarType,
  vector,
  vectorType,
  type Expression,
  type Statement,
} from '@nccl-ts/ir';
import { at } from '@nccl-ts/core';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { addressNumber } from './address-number.ts';
import { add, and, count, equal, set, u32, variable, when, type Variable } from './build.ts';
import { checkerCall } from './checker-call.ts';
import { countBytes } from './memory-barriers.ts';
import { elementsOf, operandAt, operandsOf, readWords } from './read-words.ts';
import { reduceMapped, reductions } from './reducing-copies.ts';
import { readTensorMap, type TensorMap } from './tensor-map.ts';

const line = vectorType('u32', 4);
const byte = scalarType('u8');
const zeros = vector(
  line,
  Array.from({ length: 4 }, () => u32(0)),
);

/** A tensor copy: the operands of both directions. */
interface TensorCopy {
  readonly isToGlobal: boolean;
  readonly map: TensorMap;
  /** In elements, as i32. */
  readonly coordinates: readonly Expression[];
  /** The address in shared memory, a u32. */
  readonly shared: Expression;
  readonly space: 'shared' | 'cluster';
  /** The operation of a copy that reduces. */
  readonly reduction: string | undefined;
}

/**
 * Lowers `cp.async.bulk.tensor` in tile mode: a box of a tensor in global memory, whose map the
 * harness makes, to shared memory or back. Elements outside of the tensor are read as zeros, and
 * not written. It is made immediately, and reported to a checker like `cp.async.bulk`.
 *
 * @see PTX ISA, "Tensors" and `cp.async.bulk.tensor`
 */
export function lowerTensorCopy(instruction: PtxInstruction, lowering: Lowering): void {
  const { words } = instruction;
  // A prefetch changes no value.
  if (words.includes('prefetch')) return;
  const isToGlobal = words.indexOf('global') < words.findIndex((word) => word.startsWith('shared'));
  const word = readWords(instruction, lowering, {
    async: ['async'],
    bulk: ['bulk'],
    tensor: ['tensor'],
    rank: ['1d', '2d', '3d', '4d', '5d'],
    shared: isToGlobal ? ['shared::cta'] : ['shared::cta', 'shared::cluster'],
    global: ['global'],
    mode: ['tile'],
    reduce: ['reduce'],
    operation: reductions,
    completion: [isToGlobal ? 'bulk_group' : 'mbarrier::complete_tx::bytes'],
    group: ['cta_group::1'],
    hint: ['L2::cache_hint'],
  });
  for (const slot of ['rank', 'shared', 'global', 'completion'] as const) word.need(slot);
  const hints = word.get('hint') === undefined ? 0 : 1;
  operandsOf(instruction, lowering, (isToGlobal ? 2 : 3) + hints);
  const [mapped, shared] = [isToGlobal ? 0 : 1, isToGlobal ? 1 : 0].map((index) =>
    operandAt(instruction, lowering, index),
  );
  if (mapped === undefined || shared === undefined) return;
  if ((word.get('reduce') === undefined) !== (word.get('operation') === undefined)) {
    return lowering.fail('P1003', `${mnemonic(instruction)} needs both .reduce and an operation, or none`);
  }
  const rank = Number(word.need('rank').slice(0, 1));
  const copy: TensorCopy = {
    isToGlobal,
    // An address of the cluster names a CTA, and one of a CTA is its own.
    space: words.includes('shared::cluster') ? 'cluster' : 'shared',
    coordinates: coordinatesOf(instruction, mapped, rank, lowering),
    map: readTensorMap(lowering, mapped, rank),
    reduction: word.get('operation'),
    shared: lowering.keep('shared', addressNumber(instruction, shared, 'u32', lowering)),
  };
  lowering.emit(checkerCall(lowering, 'bulk.begin'));
  const bytes = copyBox(lowering, copy);
  lowering.emit(checkerCall(lowering, 'bulk.copied'));
  if (!isToGlobal) countBytes(operandAt(instruction, lowering, 2), copy.space, bytes, lowering);
  lowering.emit(checkerCall(lowering, 'bulk.end', [isToGlobal ? 'bulk' : 'barrier']));
}

function coordinatesOf(
  instruction: PtxInstruction,
  mapped: PtxOperand,
  rank: number,
  lowering: Lowering,
): readonly Expression[] {
  const [vectorOfAll, ...others] = mapped.kind === 'address' ? (mapped.more ?? []) : [];
  const given = vectorOfAll === undefined ? [] : elementsOf(vectorOfAll);
  if (given.length !== rank || others.length > 0) {
    return lowering.fail('P1003', `${mnemonic(instruction)} needs ${rank} coordinates in its brackets`);
  }
  return given.map((one) => lowering.keep('coordinate', lowering.value(one, 'i32')));
}

/** Emits the copy, row by row of the box, and returns its number of bytes. */
function copyBox(lowering: Lowering, copy: TensorCopy): Expression {
  const { map, coordinates } = copy;
  const { box, elementBytes, strides, sizes } = map;
  const perLine = lowering.keep('per_line', binary('div', u32(16), elementBytes));
  const lines = lowering.keep('lines', binary('div', binary('mul', at(box, 0), elementBytes), u32(16)));
  const rows = lowering.keep(
    'rows',
    box.slice(1).reduce((all, one) => binary('mul', all, one), u32(1)),
  );
  const { span } = lowering;
  lowering.emit({
    kind: 'assert',
    condition: equal(and(binary('mul', at(box, 0), elementBytes), u32(15)), u32(0)),
    message: 'a row of the box of a tensor map has a multiple of 16 bytes',
    span,
  });
  const [row, rest] = [variable(lowering, 'row', scalarType('u32')), variable(lowering, 'rest', scalarType('u32'))];
  const start = variable(lowering, 'start', scalarType('u64'));
  const isInside = variable(lowering, 'inside', scalarType('bool'));
  const body: Statement[] = [
    set(lowering, rest, row.value),
    set(lowering, start, map.base),
    set(lowering, isInside, constant('bool', true)),
  ];
  for (let k = 1; k < box.length; k++) {
    const place = variable(lowering, 'place', scalarType('i32'));
    const index = k === box.length - 1 ? rest.value : binary('rem', rest.value, at(box, k));
    const wide = convert(scalarType('i64'), place.value);
    const step = convert(scalarType('u64'), binary('mul', wide, at(strides, k)));
    body.push(
      set(lowering, place, add(at(coordinates, k), convert(scalarType('i32'), index))),
      set(lowering, rest, binary('div', rest.value, at(box, k))),
      set(lowering, start, add(start.value, step)),
      set(lowering, isInside, logical('and', isInside.value, isBelow(place.value, at(sizes, k)))),
    );
  }
  const first = variable(lowering, 'first', scalarType('u32'));
  const number = variable(lowering, 'line', scalarType('u32'));
  body.push(
    set(lowering, first, binary('mul', row.value, lines)),
    set(lowering, number, u32(0)),
    count(lowering, number, lines, copyLine(lowering, copy, perLine, start, isInside, first, number)),
  );
  lowering.emit(set(lowering, row, u32(0)));
  lowering.emit(count(lowering, row, rows, body));
  return lowering.keep('bytes', binary('mul', binary('mul', rows, lines), u32(16)));
}

/** The copy of 16 bytes of a row. */
function copyLine(
  lowering: Lowering,
  copy: TensorCopy,
  perLine: Expression,
  start: Variable,
  isInside: Variable,
  firstLine: Variable,
  number: Variable,
): readonly Statement[] {
  const { isToGlobal, map, coordinates, shared, space, reduction } = copy;
  const { span } = lowering;
  const i32 = scalarType('i32');
  const element = variable(lowering, 'element', i32);
  const place = variable(lowering, 'at', scalarType('u32'));
  const outside = variable(lowering, 'outside', scalarType('u64'));
  const size = convert(i32, at(map.sizes, 0));
  const elements = convert(i32, perLine);
  const bytes = convert(scalarType('i64'), binary('mul', element.value, convert(i32, map.elementBytes)));
  const linear = add(shared, binary('shl', add(firstLine.value, number.value), u32(4)));
  const exchanged = binary('shl', and(binary('shr', place.value, u32(7)), map.swizzle), u32(4));
  const zero = constant('i32', 0);
  const end = add(element.value, elements);
  const isWhole = [
    isInside.value,
    compare('ge', element.value, zero),
    compare('le', end, size),
    equal(binary('and', outside.value, constant('u64', 15n)), constant('u64', 0n)),
  ].reduce((all, one) => logical('and', all, one));
  const isPart = [isInside.value, compare('gt', end, zero), compare('lt', element.value, size)].reduce((all, one) =>
    logical('and', all, one),
  );
  const inShared = lowering.pointerAt(space, place.value, line);
  const inGlobal = lowering.pointerAt('global', outside.value, line);
  const copied = variable(lowering, 'copied', line);
  const whole: readonly Statement[] = [
    { kind: 'load', local: copied.id, pointer: isToGlobal ? inShared : inGlobal, span },
    { kind: 'store', pointer: isToGlobal ? inGlobal : inShared, value: copied.value, span },
  ];
  const none: readonly Statement[] = isToGlobal ? [] : [{ kind: 'store', pointer: inShared, value: zeros, span }];
  const copies =
    reduction === undefined
      ? when(lowering, isWhole, whole, [
          when(lowering, isPart, copyBytes(lowering, copy, element, outside, place), none),
        ])
      : when(lowering, isPart, reduceLine(lowering, reduction, perLine, map, element, outside, place));
  return [
    set(lowering, element, add(at(coordinates, 0), convert(i32, binary('mul', number.value, perLine)))),
    set(lowering, outside, add(start.value, convert(scalarType('u64'), bytes))),
    set(lowering, place, linear),
    set(lowering, place, binary('xor', place.value, exchanged)),
    copies,
  ];
}

/** The reduction of the elements in 16 bytes. */
function reduceLine(
  lowering: Lowering,
  word: string,
  perLine: Expression,
  map: TensorMap,
  element: Variable,
  outside: Variable,
  place: Variable,
): readonly Statement[] {
  const index = variable(lowering, 'index', scalarType('u32'));
  const bytes = binary('mul', index.value, map.elementBytes);
  const into = add(outside.value, convert(scalarType('u64'), bytes));
  const reduced = { word, from: add(place.value, bytes), into };
  const number = add(element.value, convert(scalarType('i32'), index.value));
  return [
    set(lowering, index, u32(0)),
    count(lowering, index, perLine, [
      when(lowering, isBelow(number, at(map.sizes, 0)), reduceMapped(lowering, reduced, map.type)),
    ]),
  ];
}

/** The copy of 16 bytes at the edge of the tensor, byte by byte. */
function copyBytes(
  lowering: Lowering,
  { isToGlobal, map, space }: TensorCopy,
  element: Variable,
  outside: Variable,
  place: Variable,
): readonly Statement[] {
  const { span } = lowering;
  const index = variable(lowering, 'byte', scalarType('u32'));
  const copied = variable(lowering, 'copied', byte);
  const number = add(element.value, convert(scalarType('i32'), binary('div', index.value, map.elementBytes)));
  const inGlobal = pointerOffset(lowering.pointerAt('global', outside.value, byte), index.value);
  const inShared = pointerOffset(lowering.pointerAt(space, place.value, byte), index.value);
  const load: Statement = { kind: 'load', local: copied.id, pointer: isToGlobal ? inShared : inGlobal, span };
  const store: Statement = {
    kind: 'store',
    pointer: isToGlobal ? inGlobal : inShared,
    value: copied.value,
    span,
  };
  const isInside = isBelow(number, at(map.sizes, 0));
  return [
    set(lowering, index, u32(0)),
    count(
      lowering,
      index,
      u32(16),
      isToGlobal
        ? [when(lowering, isInside, [load, store])]
        : [set(lowering, copied, constant('u8', 0)), when(lowering, isInside, [load]), store],
    ),
  ];
}

/** True if a signed number is from 0 to `size - 1`. */
function isBelow(number: Expression, size: Expression): Expression {
  return compare('lt', convert(scalarType('u32'), number), size);
}
