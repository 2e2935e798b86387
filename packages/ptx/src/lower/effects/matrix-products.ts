import { at, opaqueValues, wordTable, type Fidelity, type ScalarKind } from '@nccl-ts/core';
import {
  binary,
  bitcast,
  constant,
  convert,
  lane,
  scalarType,
  vector,
  vectorType,
  type Expression,
  type Statement,
} from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import { nameApproximation, type Lowering } from '../lowering.ts';
import { add, and, count, set, u32, variable, type Variable } from './build.ts';
import { exchangeInto, laneId, warp } from './lanes.ts';
import { OpaqueValues, wordsOf } from './opaque-values.ts';
import { elementsOf, operandAt, operandsOf } from './read-words.ts';

/** The elements of a register of a matrix. */
interface Elements {
  readonly kind: ScalarKind;
  readonly perRegister: 1 | 2 | 4;
}

/** The types of A and B whose products are computed. */
const elements: Readonly<Record<string, Elements>> = wordTable({
  f16: { kind: 'f16', perRegister: 2 },
  bf16: { kind: 'bf16', perRegister: 2 },
  tf32: { kind: 'f32', perRegister: 1 },
  e4m3: { kind: 'e4m3', perRegister: 4 },
  e5m2: { kind: 'e5m2', perRegister: 4 },
  s8: { kind: 'i8', perRegister: 4 },
  u8: { kind: 'u8', perRegister: 4 },
  f64: { kind: 'f64', perRegister: 1 },
});

/** The types of C and D, and the numbers of their elements in a register. */
const sums: Readonly<Record<string, 1 | 2>> = wordTable({ f32: 1, f64: 1, s32: 1, f16: 2 });

/** Forms of `mma` whose values are not computed. */
export const opaqueProducts: Fidelity = opaqueValues(
  'the values of sparse, scaled and rare mma as unknown',
  'packages/ptx/test/threads/matrix-products.test.ts',
);

/** The forms of `mma` whose values are computed. */
interface Product {
  readonly a: Elements;
  readonly b: Elements;
  readonly sum: string;
  /** The rows of A are these times 8. */
  readonly rows: 1 | 2;
  /** The registers of B, and of each row of A. */
  readonly parts: number;
  readonly isSaturated: boolean;
}

/**
 * Lowers `mma`. Lane `4 * g + t` has elements of rows g and g + 8 of A, of column g of B, and of
 * columns 2t and 2t + 1 of C and D. So the lanes of a row and of a column pass their registers to
 * all lanes that need them, four times.
 *
 * The products are added in the order of the registers, with one rounding at the end. Tensor cores
 * add them in another one. Other forms, such as sparse ones, have opaque values.
 *
 * @see PTX ISA, "Matrix Fragments for mma.m16n8k16", and its neighbours
 */
export function lowerMatrixProduct(instruction: PtxInstruction, lowering: Lowering): void {
  const { words } = instruction;
  if (!words.includes('sync') || !words.includes('aligned')) {
    lowering.fail('P1003', `${mnemonic(instruction)} needs .sync and .aligned`);
  }
  const product = productOf(words);
  if (product === undefined) return lowerOpaqueProduct(instruction, lowering);
  operandsOf(instruction, lowering, 4);
  const [d, a, b, c] = [0, 1, 2, 3].map((index) => elementsOf(operandAt(instruction, lowering, index)));
  if (d === undefined || a === undefined || b === undefined || c === undefined) return;
  const { rows, parts, sum } = product;
  const ofSum = (rows * 2) / (sums[sum] ?? 1);
  const wanted = [ofSum, rows * parts, parts, ofSum];
  [d, a, b, c].forEach((registers, index) => {
    if (registers.length === wanted[index]) return;
    lowering.fail('P1003', `${mnemonic(instruction)} needs ${wanted.join(', ')} registers`);
  });
  const totals = startOf(lowering, product, c);
  addProducts(lowering, product, a, b, totals);
  const results = totals.map(({ value }) => resultOf(product, value));
  d.forEach((register, index) => {
    if (sum !== 'f16') return lowering.assign(register, at(results, index));
    const pair = vector(vectorType('f16', 2), [at(results, 2 * index), at(results, 2 * index + 1)]);
    lowering.assign(register, bitcast(scalarType('u32'), pair));
  });
}

/** Lowers an instruction of the tensor cores of which only the operands are known. */
export function lowerOpaqueProduct(instruction: PtxInstruction, lowering: Lowering): void {
  const [d, ...operands] = instruction.operands;
  if (d === undefined || operands.length < 3) {
    return lowering.fail('P1003', `${mnemonic(instruction)} needs 4 operands`);
  }
  // The modifiers of sparse and scaled forms have been named.
  if (!instruction.words.some((word) => word.startsWith('sp') || word === 'block_scale')) {
    nameApproximation(opaqueProducts, lowering);
  }
  const isWide = instruction.words.includes('f64');
  new OpaqueValues(instruction, lowering, wordsOf(lowering, operands, isWide)).assign(elementsOf(d));
}

function productOf(words: readonly string[]): Product | undefined {
  const rest = words.filter(
    (word) => !['mma', 'sync', 'aligned', 'row', 'col', 'satfinite', 'kind::f8f6f4'].includes(word),
  );
  const [shape, d, a, b, c] = rest;
  if (rest.length !== 5 || shape === undefined || d === undefined || d !== c) return undefined;
  const size = /^m(8|16)n8k(\d+)$/u.exec(shape);
  const [ofA, ofB] = [elements[a ?? ''], elements[b ?? '']];
  if (size === null || ofA === undefined || ofB === undefined || sums[d] === undefined) return undefined;
  if (words[words.indexOf('row') + 1] !== 'col') return undefined;
  const rows = size[1] === '8' ? 1 : 2;
  const parts = Number(size[2]) / (4 * ofA.perRegister);
  // m8n8k4 of halves has other fragments.
  if (!Number.isInteger(parts) || ofA.perRegister !== ofB.perRegister || (rows === 1 && ofA.perRegister === 2)) {
    return undefined;
  }
  return { a: ofA, b: ofB, sum: d, rows, parts, isSaturated: words.includes('satfinite') };
}

/** Integers are added as such, unless the end of their range matters, and floats as f64. */
function kindOfTotals({ sum, isSaturated }: Product): 'i32' | 'f64' {
  return sum === 's32' && !isSaturated ? 'i32' : 'f64';
}

/** The elements of C of this lane, row by row, in variables. */
function startOf(lowering: Lowering, product: Product, c: readonly PtxOperand[]): readonly Variable[] {
  const { sum } = product;
  const type = scalarType(kindOfTotals(product));
  const values = c.flatMap((register): readonly Expression[] => {
    if (sum === 'f64') return [lowering.value(register, 'f64')];
    if (sum === 'f32') return [lowering.value(register, 'f32')];
    if (sum === 's32') return [lowering.value(register, 'i32')];
    const pair = lowering.keep('pair', bitcast(vectorType('f16', 2), lowering.value(register, 'u32')));
    return [lane(pair, u32(0)), lane(pair, u32(1))];
  });
  return values.map((value) => {
    const total = variable(lowering, 'total', type);
    lowering.emit(set(lowering, total, as(type.scalar, value)));
    return total;
  });
}

function addProducts(
  lowering: Lowering,
  product: Product,
  a: readonly PtxOperand[],
  b: readonly PtxOperand[],
  totals: readonly Variable[],
): void {
  const { rows, parts } = product;
  const step = variable(lowering, 'step', scalarType('u32'));
  const body: Statement[] = [];
  const group = and(laneId, u32(0x1c));
  const [rowsOfA, sent] = [passed(lowering, product.a, a), passed(lowering, product.b, b)];
  const fromA = rowsOfA.from(add(group, step.value), body);
  const column = binary('shl', and(laneId, u32(3)), u32(3));
  const fromB = [0, 1].map((odd) => sent.from(add(column, add(step.value, u32(4 * odd))), body));
  const kind = kindOfTotals(product);
  for (let row = 0; row < rows; row++) {
    fromB.forEach((words, odd) => {
      const total = at(totals, 2 * row + odd);
      let sum = total.value;
      for (let part = 0; part < parts; part++) {
        const left = valuesIn(product.a, at(fromA, rows * part + row), kind);
        const right = valuesIn(product.b, at(words, part), kind);
        left.forEach((one, index) => {
          sum = binary('add', sum, binary('mul', one, at(right, index)));
        });
      }
      body.push(set(lowering, total, sum));
    });
  }
  lowering.emit(set(lowering, step, u32(0)));
  lowering.emit(count(lowering, step, u32(4), body));
}

/** Registers that lanes pass to each other, 16 bytes at once. */
interface Passed {
  /** Adds the exchange to `body`, and returns the registers of lane `from`. */
  from(lane: Expression, body: Statement[]): readonly Expression[];
}

function passed(lowering: Lowering, { kind }: Elements, registers: readonly PtxOperand[]): Passed {
  const word = kind === 'f64' ? 'u64' : 'u32';
  const most = word === 'u64' ? 2 : 4;
  const values = registers.map((register) => lowering.value(register, word));
  const groups = Array.from({ length: Math.ceil(values.length / most) }, (_, index) => {
    const some = values.slice(index * most, (index + 1) * most);
    const type = some.length === 3 ? vectorType(word, 4) : vectorType(word, some.length);
    if (some.length === 1) return { size: 1, value: lowering.keep('given', at(some, 0)) };
    if (some.length === 3) some.push(at(some, 0));
    return { size: some.length, value: lowering.keep('given', vector(type, some)) };
  });
  return {
    from: (other, body) => {
      const source = variable(lowering, 'source', scalarType('u32'));
      body.push(set(lowering, source, other));
      return groups.flatMap(({ size, value }): readonly Expression[] => {
        const got = variable(lowering, 'got', value.type);
        body.push(exchangeInto(lowering, got, 'shfl', warp, value, source.value));
        if (size === 1) return [got.value];
        return Array.from({ length: size }, (_, index) => lane(got.value, u32(index)));
      });
    },
  };
}

/** The elements in a register. */
function valuesIn({ kind, perRegister }: Elements, word: Expression, as32: 'i32' | 'f64'): readonly Expression[] {
  if (kind === 'f64') return [bitcast(scalarType('f64'), word)];
  // The last 13 bits of a tf32 are ignored.
  if (kind === 'f32') return [as(as32, bitcast(scalarType('f32'), and(word, u32(0xffffe000))))];
  const all = bitcast(vectorType(kind, perRegister), word);
  return Array.from({ length: perRegister }, (_, index) => as(as32, lane(all, u32(index))));
}

function resultOf({ sum, isSaturated }: Product, total: Expression): Expression {
  if (sum === 's32' && isSaturated) {
    const limited = binary('min', binary('max', total, constant('f64', -(2 ** 31))), constant('f64', 2 ** 31 - 1));
    return as('i32', limited);
  }
  if (sum === 's32') return total;

  return as(sum === 'f64' ? 'f64' : sum === 'f16' ? 'f16' : 'f32', total);
}

function as(kind: ScalarKind, value: Expression): Expression {
  const { type } = value;
  return type.kind === 'scalar' && type.scalar === kind ? value : convert(scalarType(kind), value);
}
