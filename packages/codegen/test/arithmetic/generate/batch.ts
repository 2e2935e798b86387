import * as fc from 'fast-check';

import { meaningOf, NoMeaning, type Row } from '../language/meaning.ts';
import { render, valueText } from '../language/render.ts';
import { children, operandsOf, type OperandTree, type Tree } from '../language/tree.ts';
import { nameOf, type Type } from '../language/type.ts';
import { floatOfNumber, kinds, ReferenceFault } from '../reference/scalar.ts';
import { Choices } from './choices.ts';
import { literal } from './literals.ts';
import { TreeMaker } from './tree-maker.ts';
import { operandValue, parameterSlot } from './values.ts';

/** The values of the operands in one row, by `operandKey`. */
export type RowValues = ReadonlyMap<string, readonly bigint[]>;

/** The expressions of one kernel, and the rows for which it computes them, one in each thread. */
export interface Batch {
  readonly trees: readonly Tree[];
  readonly rows: readonly RowValues[];
  /** From 0 to 7. It determines how the batch is compiled. */
  readonly variant: number;
}

export interface BatchShape {
  readonly focus: Type;
  readonly expressions: number;
  readonly rows: number;
}

export function operandKey({ type, slot }: Pick<OperandTree, 'type' | 'slot'>): string {
  return `${type.kind}_${type.width}_${slot}`;
}

/** The operands that a batch mentions, each once. */
export function batchOperands(trees: readonly Tree[]): readonly OperandTree[] {
  const found = new Map<string, OperandTree>();
  for (const operand of trees.flatMap(operandsOf)) found.set(operandKey(operand), operand);
  return [...found.values()];
}

export function rowOf(values: RowValues, thread: number): Row {
  return {
    operand: (type, slot) => {
      const found = values.get(operandKey({ type, slot }));
      if (found === undefined) throw new Error(`no value of ${nameOf(type)} ${slot}`);
      return found;
    },
    thread: BigInt(thread),
  };
}

/**
 * Random batches. They shrink to one expression and one row, then to smaller expressions of the
 * same type and simpler values.
 */
export class BatchArbitrary extends fc.Arbitrary<Batch> {
  readonly #shape: BatchShape;

  constructor(shape: BatchShape) {
    super();
    this.#shape = shape;
  }

  override generate(random: fc.Random): fc.Value<Batch> {
    const { focus, expressions, rows } = this.#shape;
    const choices = new Choices(random);
    const maker = new TreeMaker(choices, focus);
    const trees = Array.from({ length: expressions }, () => maker.make());
    const operands = batchOperands(trees);
    const uniform = new Map(
      operands
        .filter(({ slot }) => slot === parameterSlot)
        .map((operand) => [operandKey(operand), operandValue(choices, operand)]),
    );
    const made = Array.from({ length: rows }, () => {
      const key = (operand: OperandTree): readonly [string, readonly bigint[]] => {
        const name = operandKey(operand);
        return [name, uniform.get(name) ?? operandValue(choices, operand)];
      };
      return new Map(operands.map(key));
    });
    return new fc.Value(shown({ trees, rows: made, variant: choices.below(8) }), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Batch {
    return typeof value === 'object' && value !== null && 'trees' in value && 'rows' in value;
  }

  override shrink(batch: Batch): fc.Stream<fc.Value<Batch>> {
    return fc.stream(shrunk(batch)).map((smaller) => new fc.Value(shown(smaller), undefined));
  }
}

/** Returns the batch with a readable text form. */
function shown(batch: Batch): Batch {
  const { trees, rows } = batch;
  const text = (): string => {
    const [tree] = trees;
    if (trees.length !== 1 || tree === undefined) return `${trees.length} expressions in ${rows.length} rows`;
    return `\n${render(tree, operandName)}\n${rows.map((row, i) => `row ${i}\n${describeRow(tree, row)}`).join('\n')}\n`;
  };
  return Object.defineProperty(batch, fc.toStringMethod, { value: text });
}

function* shrunk(batch: Batch): Generator<Batch, undefined, undefined> {
  const { trees, rows, variant } = batch;
  if (trees.length > 1) {
    const middle = Math.ceil(trees.length / 2);
    yield { trees: trees.slice(0, middle), rows, variant };
    yield { trees: trees.slice(middle), rows, variant };
    return;
  }
  if (rows.length > 1) {
    // Only the last row stays, because the value of threadIdx.x is the row.
    for (const row of rows) yield { trees, rows: [row], variant };
    yield { trees, rows: rows.slice(0, -1), variant };
  }
  const [tree] = trees;
  if (tree === undefined) return;
  for (const smaller of shrunkTrees(tree)) if (isSound(smaller, rows)) yield { trees: [smaller], rows, variant };
  for (const operand of batchOperands(trees)) {
    for (const value of simplerValues(operand, rows)) {
      const simpler = rows.map((row) => new Map(row).set(operandKey(operand), value));
      if (isSound(tree, simpler)) yield { trees, rows: simpler, variant };
    }
  }
}

function typeOfTree(tree: Tree): Type | undefined {
  if (tree.node === 'literal' || tree.node === 'choice') return undefined;
  try {
    return meaningOf(tree).type;
  } catch (error) {
    if (error instanceof NoMeaning) return undefined;
    throw error;
  }
}

/**
 * Yields smaller trees of the same type: parts of the tree, or the tree with one part made smaller.
 */
function* shrunkTrees(tree: Tree): Generator<Tree, undefined, undefined> {
  const type = typeOfTree(tree);
  if (tree.node === 'literal') {
    if (tree.value !== 1) yield literal(1);
    return;
  }
  if (type !== undefined) yield* descendants(tree, type);
  if (tree.node === 'operand') return;
  const parts = children(tree);
  for (const [i, part] of parts.entries()) {
    for (const smaller of shrunkTrees(part)) {
      const made = withChildren(tree, parts.with(i, smaller));
      if (made !== undefined) yield made;
    }
  }
}

function* descendants(tree: Tree, type: Type): Generator<Tree, undefined, undefined> {
  for (const child of children(tree)) {
    if (typeOfTree(child) === type && child.node !== 'compound') yield child;
    yield* descendants(child, type);
  }
}

function withChildren(tree: Tree, parts: readonly Tree[]): Tree | undefined {
  const [first, second, third] = parts;
  if (first === undefined) return undefined;
  switch (tree.node) {
    case 'literal':
    case 'operand':
    case 'thread':
      return undefined;
    case 'choice':
      return second?.node === 'literal' && third?.node === 'literal'
        ? { ...tree, condition: first, then: second, else: third }
        : undefined;
    case 'select':
      return second && third && { ...tree, condition: first, then: second, else: third };
    case 'unary':
    case 'cast':
    case 'bitcast':
      return { ...tree, operand: first };
    case 'binary':
    case 'compare':
    case 'logical':
    case 'compound':
      return second && { ...tree, left: first, right: second };
    case 'call':
      return { ...tree, args: parts };
    case 'vector':
      return { ...tree, elements: parts };
    case 'lane':
      return second && { ...tree, vector: first, index: second };
    case 'withLane':
      return second && third && { ...tree, vector: first, index: second, value: third };
  }
}

/**
 * True if an expression has a meaning, and faults in no row. Two literals must not be combined,
 * because they would become one literal.
 */
function isSound(tree: Tree, rows: readonly RowValues[]): boolean {
  if (meetsLiteral(tree)) return false;
  try {
    const meaning = meaningOf(tree);
    rows.forEach((row, thread) => meaning.value(rowOf(row, thread)));
    return true;
  } catch (error) {
    if (error instanceof NoMeaning || error instanceof ReferenceFault) return false;
    throw error;
  }
}

function meetsLiteral(tree: Tree): boolean {
  const parts = children(tree);
  if (
    tree.node !== 'cast' &&
    tree.node !== 'choice' &&
    parts.length > 0 &&
    parts.every(({ node }) => node === 'literal')
  )
    return true;
  return parts.some(meetsLiteral);
}

/** Zero and one, if they are simpler than the values of the rows. */
function simplerValues(operand: OperandTree, rows: readonly RowValues[]): readonly (readonly bigint[])[] {
  const { type } = operand;
  const one = kinds[type.kind].class === 'float' ? floatOfNumber(type.kind, 1) : 1n;
  const given = rows.flatMap((row) => row.get(operandKey(operand)) ?? []);
  const simpler = given.every((value) => value === 0n) ? [] : given.every((value) => value === one) ? [0n] : [0n, one];
  return simpler.map((value) => Array.from({ length: type.width }, () => value));
}

/** Describes the operands' values in a row for people. */
export function describeRow(tree: Tree, row: RowValues): string {
  const lines = batchOperands([tree]).map((operand) => {
    const value = row.get(operandKey(operand)) ?? [];
    return `  ${operandName(operand)} = ${valueText(operand.type, value)}`;
  });
  return lines.join('\n');
}

/** The name of an operand in the kernel: `f32_0`, `vec4_f32_1`. */
export function operandName({ type, slot }: OperandTree): string {
  return type.width === 1 ? `${type.kind}_${slot}` : `vec${type.width}_${type.kind}_${slot}`;
}
