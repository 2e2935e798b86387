import {
  binary,
  bitsOf,
  compare,
  convert,
  floatOfNumber,
  fusedMultiplyAdd,
  isNaNValue,
  kinds,
  ofBits,
  unary,
  type BinaryName,
  type Kind,
  type UnaryName,
} from '../reference/scalar.ts';
import type { CallName, ChoiceTree, LiteralTree, Tree } from './tree.ts';
import { assignable, bytesOf, commonKind, isFp8, nameOf, promoteType, typeOf, type Type } from './type.ts';

/**
 * The elements of a value; a scalar has one. `undefined` for bits that are not specified: those of
 * a NaN.
 */
export type Value = readonly (bigint | undefined)[];

/** The operands' values in one thread. */
export interface Row {
  readonly operand: (type: Type, slot: number) => readonly bigint[];
  readonly thread: bigint;
}

/** The meaning of an expression: its type, and its value in a row. */
export interface Meaning {
  readonly type: Type;
  readonly value: (row: Row) => Value;
}

/**
 * Thrown for an expression that the language does not have. Every generated expression has a
 * meaning.
 */
export class NoMeaning extends Error {}

const bool = typeOf('bool');

type Open = LiteralTree | ChoiceTree;
const isOpen = (tree: Tree): tree is Open => tree.node === 'literal' || tree.node === 'choice';

const known = (elements: Value): elements is readonly bigint[] => !elements.includes(undefined);

/**
 * Computes element by element. Unspecified elements stay unspecified. A single element is repeated.
 */
function each(
  width: number,
  args: readonly Value[],
  compute: (...args: readonly bigint[]) => bigint | undefined,
): Value {
  return Array.from({ length: width }, (_, i) => {
    const elements = args.map((arg) => (arg.length === 1 ? arg[0] : arg[i]));
    return known(elements) ? compute(...elements) : undefined;
  });
}

export function meaningOf(tree: Tree): Meaning {
  switch (tree.node) {
    case 'literal':
    case 'choice':
      return inContext(tree, typeOf(literalsOf(tree).every((v) => typeof v === 'boolean') ? 'bool' : 'i32'));
    case 'operand': {
      const { type, slot } = tree;
      return { type, value: (row) => row.operand(type, slot) };
    }
    case 'thread':
      return { type: typeOf('u32'), value: (row) => [row.thread] };
    case 'unary':
      return tree.op === '!' ? negation(tree.operand) : unaryMeaning(tree.op, meaningOf(tree.operand));
    case 'binary':
      return tree.op === '<<' || tree.op === '>>'
        ? shift(tree.op, tree.left, tree.right)
        : arithmetic(tree.op, tree.left, tree.right);
    case 'compare': {
      const { op } = tree;
      const [left, right] = together(tree.left, tree.right);
      if (left.type.width !== 1) throw new NoMeaning('vectors do not compare');
      const { kind } = left.type;
      return {
        type: bool,
        value: (row) => each(1, [left.value(row), right.value(row)], (a = 0n, b = 0n) => compare(op, kind, a, b)),
      };
    }
    case 'logical': {
      const [left, right] = [condition(tree.left), condition(tree.right)];
      const decides = tree.op === '&&' ? 0n : 1n;
      return {
        type: bool,
        value: (row) => {
          const [first] = left(row);
          return first === undefined || first === decides ? [first] : right(row);
        },
      };
    }
    case 'select':
      return select(tree);
    case 'cast':
      return isOpen(tree.operand) ? castLiteral(tree.operand, tree.type) : castTo(meaningOf(tree.operand), tree.type);
    case 'bitcast':
      return bitcast(meaningOf(tree.operand), tree.type);
    case 'call':
      return call(tree.name, tree.args);
    case 'vector': {
      const { type } = tree;
      const elements = tree.elements.map((element) => assigned(element, typeOf(type.kind)));
      return { type, value: (row) => elements.map((element) => element.value(row)[0]) };
    }
    case 'lane': {
      const vector = meaningOf(tree.vector);
      const index = assigned(tree.index, typeOf('u32'));
      return {
        type: typeOf(vector.type.kind),
        value: (row) => {
          const [at] = index.value(row);
          return at === undefined ? [undefined] : [elementAt(vector.value(row), at)];
        },
      };
    }
    case 'withLane': {
      const vector = meaningOf(tree.vector);
      const index = assigned(tree.index, typeOf('u32'));
      const replaced = assigned(tree.value, typeOf(vector.type.kind));
      return {
        type: vector.type,
        value: (row) => {
          const [at] = index.value(row);
          const [element] = replaced.value(row);
          return vector.value(row).map((old, i) => (at === undefined ? undefined : at === BigInt(i) ? element : old));
        },
      };
    }
    case 'compound':
      return compound(tree.op, tree.left, tree.right);
  }
}

function elementAt(elements: Value, index: bigint): bigint | undefined {
  if (index >= BigInt(elements.length)) throw new NoMeaning(`no element ${index}`);
  return elements[Number(index)];
}

function literalsOf(tree: Open): readonly LiteralTree['value'][] {
  return tree.node === 'literal' ? [tree.value] : [tree.then.value, tree.else.value];
}

/** A literal where `type` is expected. A vector has it in every element. */
function inContext(tree: Open, type: Type): Meaning {
  if (tree.node === 'literal') {
    const element = literalValue(tree.value, type.kind);
    const elements = Array.from({ length: type.width }, () => element);
    return { type, value: () => elements };
  }
  const test = condition(tree.condition);
  const [then, otherwise] = [inContext(tree.then, type), inContext(tree.else, type)];
  return { type, value: choosing(test, then, otherwise) };
}

function choosing(test: (row: Row) => Value, then: Meaning, otherwise: Meaning): Meaning['value'] {
  return (row) => {
    const [chosen] = test(row);
    if (chosen === undefined) return Array.from({ length: then.type.width }, () => undefined);
    return chosen === 1n ? then.value(row) : otherwise.value(row);
  };
}

/** Returns a literal as a value of `kind`. A literal that does not fit has no meaning. */
export function literalValue(value: LiteralTree['value'], kind: Kind): bigint {
  const info = kinds[kind];
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (info.class === 'float') {
    const bits = floatOfNumber(kind, Number(number));
    const tooLarge =
      Number.isFinite(Number(number)) && Math.abs(Number(number)) > (largestLiteral[kind] ?? Number.MAX_VALUE);
    if (tooLarge) throw new NoMeaning(`${number} does not fit ${kind}`);
    return bits;
  }
  if (typeof number === 'number' && !Number.isInteger(number)) throw new NoMeaning(`${number} is a fraction`);
  const exact = BigInt(number);
  if (info.class === 'bool') {
    if (exact === 0n || exact === 1n) return exact;
    throw new NoMeaning(`${number} is no truth value`);
  }
  const low = info.class === 'int' && !info.signed ? -info.max - 1n : info.min;
  if (exact < low || exact > info.max) throw new NoMeaning(`${number} does not fit ${kind}`);
  return exact < info.min ? exact + info.max + 1n : exact;
}

// Beyond these a literal would become infinite, or have another value than it spells.
const largestLiteral: Readonly<Partial<Record<Kind, number>>> = {
  e4m3: 448,
  e5m2: 57344,
  f16: 65504,
  bf16: (2 - 2 ** -7) * 2 ** 127,
  f32: (2 - 2 ** -23) * 2 ** 127,
};

/**
 * Returns the meaning where `type` is expected. Literals take the type. Values are converted if the
 * conversion keeps every value.
 */
function assigned(tree: Tree, type: Type): Meaning {
  if (isOpen(tree)) return inContext(tree, type);
  const given = meaningOf(tree);
  if (given.type === type) return given;
  if (given.type.width !== 1) throw new NoMeaning(`${nameOf(given.type)} is no ${nameOf(type)}`);
  const fits = type.width === 1 ? assignable(given.type.kind, type.kind) : given.type.kind === type.kind;
  if (!fits) throw new NoMeaning(`${nameOf(given.type)} is no ${nameOf(type)}`);
  return castTo(given, type);
}

function castTo(given: Meaning, type: Type): Meaning {
  const from = given.type;
  if (from === type) return given;
  if (from.width !== 1 && from.width !== type.width) throw new NoMeaning(`${nameOf(from)} to ${nameOf(type)}`);
  const value = (row: Row): Value =>
    each(type.width, [given.value(row)], (a = 0n) => (from.kind === type.kind ? a : convert(from.kind, type.kind, a)));
  return { type, value };
}

function castLiteral(tree: Open, type: Type): Meaning {
  if (type === bool && tree.node === 'literal') {
    const element = Number(tree.value) === 0 ? 0n : 1n;
    return { type, value: () => [element] };
  }
  return inContext(tree, type);
}

/** Returns a value as a condition: numbers are compared by `!= 0`. */
function condition(tree: Tree): (row: Row) => Value {
  const { type, value } = meaningOf(tree);
  if (type.width !== 1) throw new NoMeaning('a vector cannot be used as a condition');
  return (row) => each(1, [value(row)], (a = 0n) => convert(type.kind, 'bool', a));
}

function negation(tree: Tree): Meaning {
  const test = condition(tree);
  return { type: bool, value: (row) => each(1, [test(row)], (a = 0n) => 1n - a) };
}

function promoted(given: Meaning): Meaning {
  return castTo(given, promoteType(given.type));
}

/** Returns both operands of an operator in their common type. */
function together(left: Tree, right: Tree): readonly [Meaning, Meaning] {
  if (isOpen(left) && !isOpen(right)) {
    const b = promoted(meaningOf(right));
    return [inContext(left, b.type), b];
  }
  const a = meaningOf(left);
  if (isOpen(right)) return [promoted(a), inContext(right, promoteType(a.type))];
  const b = meaningOf(right);
  if (a.type.width === 1 && b.type.width === 1) {
    const kind = commonKind(a.type.kind, b.type.kind);
    if (kind === undefined) throw new NoMeaning(`${nameOf(a.type)} and ${nameOf(b.type)}`);
    return [castTo(a, typeOf(kind)), castTo(b, typeOf(kind))];
  }
  const vector = a.type.width === 1 ? b.type : a.type;
  for (const { type } of [a, b]) {
    if (type !== vector && type !== typeOf(vector.kind)) throw new NoMeaning(`${nameOf(a.type)} and ${nameOf(b.type)}`);
  }
  return [promoted(castTo(a, vector)), promoted(castTo(b, vector))];
}

function arithmetic(op: BinaryName, left: Tree, right: Tree): Meaning {
  const [a, b] = together(left, right);
  return elementwise(op, a, b);
}

function elementwise(op: BinaryName, a: Meaning, b: Meaning): Meaning {
  const { type } = a;
  const compute = (x: bigint = 0n, y: bigint = 0n): bigint => binary(op, type.kind, x, y);
  return { type, value: (row) => each(type.width, [a.value(row), b.value(row)], compute) };
}

function shift(op: '<<' | '>>', left: Tree, right: Tree): Meaning {
  const a = promoted(meaningOf(left));
  if (kinds[a.type.kind].class !== 'int') throw new NoMeaning(`${op} of ${nameOf(a.type)}`);
  if (right.node === 'literal') {
    const count = BigInt(Number(right.value));
    return elementwise(op, a, { type: a.type, value: () => [count] });
  }
  const count = meaningOf(right);
  const counts = ['int', 'bool'].includes(kinds[count.type.kind].class);
  if (!counts || (count.type.width !== 1 && count.type !== a.type))
    throw new NoMeaning(`${op} by ${nameOf(count.type)}`);
  // Only the lowest bits of the count matter, and they are the same in every integer type.
  return elementwise(op, a, count);
}

function unaryMeaning(op: UnaryName, given: Meaning): Meaning {
  const a = promoted(given);
  const { type } = a;
  return { type, value: (row) => each(type.width, [a.value(row)], (x = 0n) => unary(op, type.kind, x)) };
}

function select(tree: Extract<Tree, { node: 'select' }>): Meaning {
  const test = condition(tree.condition);
  const arms = ((): readonly [Meaning, Meaning] => {
    if (isOpen(tree.then)) {
      const b = meaningOf(tree.else);
      return [inContext(tree.then, b.type), b];
    }
    const a = meaningOf(tree.then);
    if (isOpen(tree.else)) return [a, inContext(tree.else, a.type)];
    const b = meaningOf(tree.else);
    return a.type === b.type ? [a, b] : together(tree.then, tree.else);
  })();
  return { type: arms[0].type, value: choosing(test, ...arms) };
}

/** Reinterprets the bytes, little endian, as another type. The bits of a NaN are not specified. */
function bitcast(given: Meaning, type: Type): Meaning {
  const from = given.type;
  if (bytesOf(from) !== bytesOf(type)) throw new NoMeaning(`${nameOf(from)} as ${nameOf(type)}`);
  if (from === type) return given;
  const [width, size] = [kinds[from.kind].bits, kinds[type.kind].bits];
  const value = (row: Row): Value => {
    let [bits, unspecified] = [0n, 0n];
    given.value(row).forEach((element, i) => {
      const at = BigInt(i * width);
      if (element === undefined || isNaNValue(from.kind, element)) unspecified |= ((1n << BigInt(width)) - 1n) << at;
      else bits |= bitsOf(from.kind, element) << at;
    });
    return Array.from({ length: type.width }, (_, i) => {
      const mask = (1n << BigInt(size)) - 1n;
      const at = BigInt(i * size);
      return ((unspecified >> at) & mask) === 0n ? ofBits(type.kind, (bits >> at) & mask) : undefined;
    });
  };
  return { type, value };
}

function call(name: CallName, args: readonly Tree[]): Meaning {
  const [first, second] = args;
  if (first === undefined) throw new NoMeaning(`${name}()`);
  switch (name) {
    case 'min':
    case 'max':
      if (second === undefined) throw new NoMeaning(`${name} of one`);
      return arithmetic(name, first, second);
    case 'abs':
    case 'popcount':
    case 'clz':
    case 'ctz':
      return unaryMeaning(name, meaningOf(first));
    case 'math.sqrt':
    case 'math.floor':
    case 'math.ceil':
    case 'math.trunc':
    case 'math.round': {
      const given = meaningOf(first);
      if (kinds[given.type.kind].class !== 'float' || isFp8(given.type.kind)) throw new NoMeaning(name);
      const op = mathNames[name];
      const { type } = given;
      return { type, value: (row) => each(type.width, [given.value(row)], (x = 0n) => unary(op, type.kind, x)) };
    }
    case 'fma': {
      const typed = args.find((arg) => !isOpen(arg));
      if (typed === undefined) throw new NoMeaning('fma of literals');
      const { type } = meaningOf(typed);
      const parts = args.map((arg) => assigned(arg, type));
      const compute = (a: bigint = 0n, b: bigint = 0n, c: bigint = 0n): bigint => fusedMultiplyAdd(type.kind, a, b, c);
      return {
        type,
        value: (row) =>
          each(
            type.width,
            parts.map((part) => part.value(row)),
            compute,
          ),
      };
    }
  }
}

const mathNames = {
  'math.sqrt': 'sqrt',
  'math.floor': 'floor',
  'math.ceil': 'ceil',
  'math.trunc': 'trunc',
  'math.round': 'round',
} as const;

/**
 * `x op= y` is computed as `x op y`, and converted back to the type of `x` if `y` fits that type
 * (or for shifts).
 */
function compound(op: Exclude<BinaryName, 'min' | 'max'>, left: Tree, right: Tree): Meaning {
  const { type } = meaningOf(left);
  if (op !== '<<' && op !== '>>' && !isOpen(right)) {
    const given = meaningOf(right).type;
    const fits =
      given === type ||
      (given.width === 1 && (type.width === 1 ? assignable(given.kind, type.kind) : given.kind === type.kind));
    if (!fits) throw new NoMeaning(`${nameOf(type)} ${op}= ${nameOf(given)}`);
  }
  const computed = meaningOf({ node: 'binary', op, left, right });
  return castTo(computed, type);
}
