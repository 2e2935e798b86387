import type { BinaryName, CompareName } from '../reference/scalar.ts';
import type { Type } from './type.ts';

/** A number that the kernel's text contains. Its context determines its type. */
export interface LiteralTree {
  readonly node: 'literal';
  readonly value: number | bigint | boolean;
  /** Its form in the kernel: `5`, `(1 << 4)`, `7n`. */
  readonly text: string;
}

/** One of two literals, chosen at run time. */
export interface ChoiceTree {
  readonly node: 'choice';
  readonly condition: Tree;
  readonly then: LiteralTree;
  readonly else: LiteralTree;
}

/** An operand: a value that differs by row, number `slot` of its type. */
export interface OperandTree {
  readonly node: 'operand';
  readonly type: Type;
  readonly slot: number;
}

export type CallName =
  | 'min'
  | 'max'
  | 'abs'
  | 'fma'
  | 'popcount'
  | 'clz'
  | 'ctz'
  | 'math.sqrt'
  | 'math.floor'
  | 'math.ceil'
  | 'math.trunc'
  | 'math.round';

export type OperatorName = Exclude<BinaryName, 'min' | 'max'>;

/**
 * An expression of the kernel language. It does not contain its type, which both the front end and
 * the reference infer.
 */
export type Tree =
  | LiteralTree
  | ChoiceTree
  | OperandTree
  /** `threadIdx.x` */
  | { readonly node: 'thread' }
  | { readonly node: 'unary'; readonly op: '-' | '+' | '~' | '!'; readonly operand: Tree }
  | { readonly node: 'binary'; readonly op: OperatorName; readonly left: Tree; readonly right: Tree }
  | { readonly node: 'compare'; readonly op: CompareName; readonly left: Tree; readonly right: Tree }
  | { readonly node: 'logical'; readonly op: '&&' | '||'; readonly left: Tree; readonly right: Tree }
  | { readonly node: 'select'; readonly condition: Tree; readonly then: Tree; readonly else: Tree }
  | { readonly node: 'cast'; readonly type: Type; readonly operand: Tree }
  | { readonly node: 'bitcast'; readonly type: Type; readonly operand: Tree }
  | { readonly node: 'call'; readonly name: CallName; readonly args: readonly Tree[] }
  | { readonly node: 'vector'; readonly type: Type; readonly elements: readonly Tree[] }
  | { readonly node: 'lane'; readonly vector: Tree; readonly index: Tree }
  | { readonly node: 'withLane'; readonly vector: Tree; readonly index: Tree; readonly value: Tree }
  /**
   * `x op= y` for a variable that starts as `left`. It can only be the root, because it takes
   * statements.
   */
  | { readonly node: 'compound'; readonly op: OperatorName; readonly left: Tree; readonly right: Tree };

export function children(tree: Tree): readonly Tree[] {
  switch (tree.node) {
    case 'literal':
    case 'operand':
    case 'thread':
      return [];
    case 'choice':
    case 'select':
      return [tree.condition, tree.then, tree.else];
    case 'unary':
    case 'cast':
    case 'bitcast':
      return [tree.operand];
    case 'binary':
    case 'compare':
    case 'logical':
    case 'compound':
      return [tree.left, tree.right];
    case 'call':
      return tree.args;
    case 'vector':
      return tree.elements;
    case 'lane':
      return [tree.vector, tree.index];
    case 'withLane':
      return [tree.vector, tree.index, tree.value];
  }
}

/** The operands that a tree mentions. */
export function operandsOf(tree: Tree): readonly OperandTree[] {
  return tree.node === 'operand' ? [tree] : children(tree).flatMap(operandsOf);
}

export function sizeOf(tree: Tree): number {
  return 1 + children(tree).reduce((total, child) => total + sizeOf(child), 0);
}
