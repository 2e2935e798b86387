import { decode, toNumber } from '../reference/float.ts';
import { bitsOf, formatOf, kinds, type Kind } from '../reference/scalar.ts';
import type { OperandTree, Tree } from './tree.ts';
import { nameOf, typeOf, type Type } from './type.ts';

/**
 * Returns the text of an expression. `operand` returns that of an operand. Everything that may need
 * parentheses has them.
 */
export function render(tree: Tree, operand: (operand: OperandTree) => string): string {
  const text = (child: Tree): string => render(child, operand);
  switch (tree.node) {
    case 'literal':
      return tree.text;
    case 'operand':
      return operand(tree);
    case 'thread':
      return 'threadIdx.x';
    case 'unary':
      return `(${tree.op}${text(tree.operand)})`;
    case 'binary':
    case 'compare':
    case 'logical':
      return `(${text(tree.left)} ${tree.op} ${text(tree.right)})`;
    case 'choice':
    case 'select':
      return `(${text(tree.condition)} ? ${text(tree.then)} : ${text(tree.else)})`;
    case 'cast':
      return `${nameOf(tree.type)}(${text(tree.operand)})`;
    case 'bitcast':
      return `bitcast(${nameOf(tree.type)}, ${text(tree.operand)})`;
    case 'call':
      return `${tree.name}(${tree.args.map(text).join(', ')})`;
    case 'vector':
      return `${nameOf(tree.type)}(${tree.elements.map(text).join(', ')})`;
    case 'lane':
      return `lane(${text(tree.vector)}, ${text(tree.index)})`;
    case 'withLane':
      return `withLane(${text(tree.vector)}, ${text(tree.index)}, ${text(tree.value)})`;
    case 'compound':
      return `${text(tree.left)} ${tree.op}= ${text(tree.right)}`;
  }
}

/** Returns a JavaScript number as a literal, in parentheses if it has a sign. */
export function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  const magnitude = Math.abs(value) === Infinity ? 'Infinity' : `${Math.abs(value)}`;
  return value < 0 || Object.is(value, -0) ? `(-${magnitude})` : magnitude;
}

function scalarConstant(kind: Kind, value: bigint): string {
  switch (kinds[kind].class) {
    case 'bool':
      return value === 0n ? 'bool(false)' : 'bool(true)';
    case 'addr':
      return `addr(${value})`;
    case 'int':
      return `${kind}(${value < 0n ? `(-${-value}n)` : `${value}n`})`;
    case 'float': {
      const exact = decode(formatOf(kind), value);
      // Casts to e5m2 saturate, so no number converts to its infinities.
      if (kind === 'e5m2' && exact.kind === 'infinite') return `bitcast(e5m2, u8(${bitsOf(kind, value)}))`;
      return `${kind}(${numberText(toNumber(exact))})`;
    }
  }
}

/** Returns a constant expression of `type` with the value `elements`. */
export function constantText(type: Type, elements: readonly bigint[]): string {
  const texts = elements.map((value) => scalarConstant(type.kind, value));
  const [only = ''] = texts;
  return type.width === 1 ? only : `${nameOf(type)}(${texts.join(', ')})`;
}

/** Formats a value for people. Floats include their bits. */
export function valueText(type: Type, elements: readonly (bigint | undefined)[]): string {
  const one = (value: bigint | undefined): string => {
    if (value === undefined) return 'unspecified';
    const { format, bits } = kinds[type.kind];
    if (format === undefined) return `${value}`;
    const hex = value.toString(16).padStart(bits / 4, '0');
    const exact = decode(format, value);
    return `${exact.kind === 'nan' ? 'NaN' : numberText(toNumber(exact))} (0x${hex})`;
  };
  const texts = elements.map(one);
  return `${nameOf(typeOf(type.kind, type.width))} ${type.width === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`}`;
}
