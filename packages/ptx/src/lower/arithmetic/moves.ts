import type { LoweringTable } from '../lowering.ts';
import { bitcast, lane, constant, scalarType, vector, vectorType, type Expression } from '@nccl-ts/ir';
import type { ScalarKind } from '@nccl-ts/core';
import type { PtxOperand } from '../../syntax/module.ts';
import { elementsOf } from '../effects/read-words.ts';
import { or, shl, shr, to } from './build.ts';
import { lowered, scalarOf, type ArithmeticType, type InstructionForm } from './form.ts';

const types = [
  'pred',
  'b8',
  'b16',
  'b32',
  'b64',
  'b128',
  'u16',
  'u32',
  'u64',
  's16',
  's32',
  's64',
  'f32',
  'f64',
] as const;

const widths: Readonly<Partial<Record<ArithmeticType, number>>> = { b16: 16, b32: 32, b64: 64, b128: 128 };

const unsigned: Readonly<Record<number, ScalarKind>> = { 8: 'u8', 16: 'u16', 32: 'u32', 64: 'u64' };

/** The width of a register of bits, and the scalar of each of its `count` parts. */
function piecesOf(form: InstructionForm, count: number): { readonly width: number; readonly piece: ScalarKind } {
  const width = widths[form.type] ?? form.refuse('takes no vector', 'use .b16, .b32, .b64 or .b128');
  const piece = unsigned[width / count] ?? form.refuse(`cannot split .${form.type} into ${count} parts`);
  if (count !== 2 && count !== 4) form.refuse(`takes vectors of 2 or 4 elements, not ${count}`);
  return { width, piece };
}

function pack(form: InstructionForm, elements: readonly PtxOperand[]): Expression {
  const { width, piece } = piecesOf(form, elements.length);
  const values = elements.map((element) => form.lowering.value(element, piece));
  const [first] = values;
  if (first === undefined) return form.refuse('has an empty vector');
  if (width === 64 || width === 128) {
    const whole = vector(vectorType(piece, elements.length), values);
    if (width === 64) return bitcast(scalarType('u64'), whole);
    return piece === 'u32' ? whole : bitcast(vectorType('u32', 4), whole);
  }
  const word = width === 16 ? 'u16' : 'u32';
  const bitsOf = width / elements.length;
  return values
    .map((value, index) => (index === 0 ? to(word, value) : shl(to(word, value), bitsOf * index)))
    .reduce(or);
}

/** The parts of an operand, the lowest first. */
function unpack(form: InstructionForm, operand: PtxOperand, count: number): readonly Expression[] {
  const { lowering } = form;
  const { width, piece } = piecesOf(form, count);
  const indices = Array.from({ length: count }, (_, index) => index);
  if (width === 64 || width === 128) {
    const whole = width === 64 ? lowering.value(operand, 'u64') : lowering.quad(operand);
    const isSame = width === 128 && piece === 'u32';
    const pieces = lowering.keep('pieces', isSame ? whole : bitcast(vectorType(piece, count), whole));
    return indices.map((index) => lane(pieces, constant('u32', index)));
  }
  const word = lowering.keep('word', lowering.value(operand, width === 16 ? 'u16' : 'u32'));
  return indices.map((index) => to(piece, index === 0 ? word : shr(word, (width / count) * index)));
}

/**
 * `mov.v4`: each element becomes the one with its number, or a literal. The elements are read
 * before the first one is set.
 */
function moveVector(form: InstructionForm, width: number): void {
  const { lowering, result, type } = form;
  const source = form.operand(1);
  const isSpread = source.kind === 'integer' || source.kind === 'float';
  const given = isSpread ? Array.from({ length: width }, () => source) : elementsOf(source);
  const results = elementsOf(result);
  if (given.length !== width || results.length !== width) form.refuse(`needs vectors of ${width} elements`);
  const values = given.map((element) => {
    if (type === 'pred') return lowering.predicate(element);
    if (type === 'b128') return lowering.quad(element);
    return lowering.keep('element', lowering.value(element, scalarOf(type)));
  });
  results.forEach((element, index) => {
    const value = values[index];
    if (value !== undefined) lowering.assign(element, value);
  });
}

const mov = lowered({ modifiers: [['v2', 'v4', 'v8']], types: [types], operands: 2 }, (form) => {
  const { lowering, result } = form;
  const source = form.operand(1);
  const width = form.which(['v2', 'v4', 'v8']);
  if (width !== undefined) return moveVector(form, Number(width.slice(1)));
  if (source.kind === 'vector') return lowering.assign(result, pack(form, source.elements));
  if (result.kind === 'vector') {
    const pieces = unpack(form, source, result.elements.length);
    result.elements.forEach((element, index) => {
      const value = pieces[index];
      if (value !== undefined && element.kind !== 'sink') lowering.assign(element, value);
    });
    return;
  }
  if (form.type === 'pred') return lowering.assign(result, lowering.predicate(source));
  if (form.type === 'b128') return lowering.assign(result, lowering.quad(source));
  lowering.assign(result, lowering.value(source, scalarOf(form.type)));
});

export const moveLowerings: LoweringTable = { mov };
