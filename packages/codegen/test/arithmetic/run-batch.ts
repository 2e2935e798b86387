import { ptr, u8, type ParamType } from '@nccl-ts/kernel';

import {
  batchOperands,
  describeRow,
  operandKey,
  operandName,
  rowOf,
  type Batch,
  type RowValues,
} from './generate/batch.ts';
import { parameterSlot } from './generate/values.ts';
import { meaningOf, type Meaning, type Value } from './language/meaning.ts';
import { constantText, render, valueText } from './language/render.ts';
import type { OperandTree, Tree } from './language/tree.ts';
import { bytesOf, nameOf, typeOf, type Type } from './language/type.ts';
import {
  argument,
  builtinNames,
  compileText,
  Memory,
  paramType,
  variableTypes,
  type MachineOptions,
} from './machine.ts';
import { isNaNValue } from './reference/scalar.ts';

/** The bytes of each operand and each result: a whole vector. */
const slotBytes = 16;

/** The form of an expression: with operands that are read at run time, or with constants only. */
export type Form = 'operands' | 'constants';

export interface RunOptions extends Pick<MachineOptions, 'mode' | 'engine'> {
  readonly form?: Form;
  /**
   * True if the emitter can see that addresses grow with the thread. It then writes one loop
   * without checks and one with them. Otherwise it writes only the latter, in half the time.
   */
  readonly affine?: boolean;
}

/** An expression whose value differs from the reference's. */
export interface Mismatch {
  readonly tree: Tree;
  readonly row: number;
  readonly text: string;
}

/** The number of elements that were compared so far, and of those that were NaN or unspecified. */
export interface Tally {
  compared: number;
  nans: number;
  unspecified: number;
}

/**
 * Compiles and runs all expressions of `batch` together, and compares each one's type and values
 * with the reference's.
 */
export function runBatch(batch: Batch, options: RunOptions = {}, tally?: Tally): readonly Mismatch[] {
  const { form = 'operands', affine = true, mode, engine } = options;
  const meanings = batch.trees.map(meaningOf);
  const operands = form === 'operands' ? batchOperands(batch.trees) : [];
  const expressions =
    form === 'operands' ? batch.trees.map(operandText) : batch.trees.map((tree) => constantsText(tree, batch.rows));
  const rows = form === 'operands' ? batch.rows : batch.rows.slice(-1);
  const parameters = operands.filter(({ slot }) => slot === parameterSlot);
  const params: Record<string, ParamType> = { input: ptr(u8), output: ptr(u8) };
  for (const operand of parameters) params[operandName(operand)] = paramType(operand.type);
  const module = compileText(kernelText(batch.trees, expressions, meanings, operands, affine), params);
  const types = variableTypes(module);
  const resultBytes = batch.trees.length * slotBytes;
  const memory = new Memory([(1 + rows.length * operands.length) * slotBytes, rows.length * resultBytes]);
  rows.forEach((values, row) =>
    operands.forEach((operand, i) => {
      memory.write(0, (1 + row * operands.length + i) * slotBytes, operand.type, values.get(operandKey(operand)) ?? []);
    }),
  );
  const args = parameters.map((operand) => argument(operand.type, rows[0]?.get(operandKey(operand)) ?? []));
  memory.run(module, rows.length, args, {
    ...(mode === undefined ? {} : { mode }),
    ...(engine === undefined ? {} : { engine, compiles: 'all' }),
  });
  const mismatches: Mismatch[] = [];
  batch.trees.forEach((tree, k) => {
    const meaning = meanings[k];
    if (meaning === undefined) return;
    const { type } = meaning;
    const found = types.get(`r${k}`);
    const complain = (row: number, what: string): void => {
      const source = render(tree, operandName);
      const values = batch.rows[row] === undefined ? '' : describeRow(tree, batch.rows[row]);
      const compiled = form === 'constants' ? `\ncompiled as: ${expressions[k]}` : '';
      mismatches.push({ tree, row, text: `${source}\nthreadIdx.x = ${row}\n${values}\n${what}${compiled}` });
    };
    if (found !== undefined && found !== nameOf(type)) complain(0, `has the type ${found}, expected ${nameOf(type)}`);
    rows.forEach((values, index) => {
      const row = form === 'operands' ? index : batch.rows.length - 1;
      const expected = meaning.value(rowOf(values, row));
      const actual = memory.read(1, index * resultBytes + k * slotBytes, type);
      if (tally !== undefined) count(tally, type, expected);
      if (expected.every((element, i) => agrees(type, element, actual[i]))) return;
      complain(row, `is       ${valueText(type, actual)}\nexpected ${valueText(type, expected)}`);
    });
  });
  return mismatches;
}

function count(tally: Tally, type: Type, expected: Value): void {
  for (const element of expected) {
    tally.compared++;
    if (element === undefined) tally.unspecified++;
    else if (isNaNValue(type.kind, element)) tally.nans++;
  }
}

function agrees({ kind }: Type, expected: bigint | undefined, actual: bigint | undefined): boolean {
  if (expected === undefined || expected === actual) return true;
  return actual !== undefined && isNaNValue(kind, expected) && isNaNValue(kind, actual);
}

function operandText(tree: Tree): string {
  return render(tree, operandName);
}

/** Returns the expression with the operands' values in the last row as constants. */
function constantsText(tree: Tree, rows: readonly RowValues[]): string {
  const values = rows.at(-1);
  const text = render(tree, (operand) => constantText(operand.type, values?.get(operandKey(operand)) ?? []));
  return text.replaceAll('threadIdx.x', `u32(${rows.length - 1})`);
}

function kernelText(
  trees: readonly Tree[],
  expressions: readonly string[],
  meanings: readonly Meaning[],
  operands: readonly OperandTree[],
  affine: boolean,
): string {
  const read = operands.filter(({ slot }) => slot !== parameterSlot);
  const parameters = operands.filter(({ slot }) => slot === parameterSlot).map(operandName);
  return [
    `({ ${builtinNames} }, { ${['input', 'output', ...parameters].join(', ')} }) => {`,
    // The word there is 0.
    `const start = ${affine ? '0' : 'input.cast(u32).load(0)'};`,
    `const from = input.offset(start + ${slotBytes} + threadIdx.x * ${operands.length * slotBytes});`,
    `const to = output.offset(start + threadIdx.x * ${trees.length * slotBytes});`,
    ...read.map((operand) => `const ${operandName(operand)} = ${loadText(operand.type, operands.indexOf(operand))};`),
    ...trees.map((tree, k) => {
      const text = expressions[k] ?? '';
      const type = meanings[k]?.type ?? typeOf('i32');
      if (tree.node !== 'compound') return `const r${k} = ${text}; ${storeText(type, k)}`;
      const begin = text.slice(0, text.indexOf(` ${tree.op}= `));
      return `let r${k} = ${begin}; r${k}${text.slice(begin.length)}; ${storeText(type, k)}`;
    }),
    '}',
  ].join('\n');
}

const stride = (type: Type): number => slotBytes / bytesOf(type);

function loadText(type: Type, index: number): string {
  if (type.kind === 'bool') return `from.cast(u8).load(${index * slotBytes}) != 0`;
  if (type.kind === 'addr') return `addr(from.cast(u64).load(${index * 2}))`;
  return `from.cast(${nameOf(type)}).load(${index * stride(type)})`;
}

function storeText(type: Type, k: number): string {
  if (type.kind === 'bool') return `to.cast(u8).store(${k * slotBytes}, u8(r${k}));`;
  if (type.kind === 'addr') return `to.cast(u64).store(${k * 2}, u64(r${k}));`;
  return `to.cast(${nameOf(type)}).store(${k * stride(type)}, r${k});`;
}
