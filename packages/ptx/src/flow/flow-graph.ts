import type { Body, Expression, LocalId, Span, Type } from '@nccl-ts/ir';

/**
 * The control flow of a function: straight pieces of IR, and their successors. Block 0 is the
 * entry. Statements of blocks are never `if`s with jumps in them, loops, `return`s or `leave`s; an
 * `if` around a predicated instruction is allowed.
 */
export interface FlowGraph {
  readonly blocks: readonly FlowBlock[];
}

export interface FlowBlock {
  readonly body: Body;
  readonly end: FlowEnd;
}

/** An index into `FlowGraph.blocks`. */
export type FlowBlockId = number;

export type FlowEnd =
  | { readonly kind: 'jump'; readonly to: FlowBlockId; readonly span: Span }
  | {
      readonly kind: 'branch';
      /** A bool. */
      readonly condition: Expression;
      readonly then: FlowBlockId;
      readonly else: FlowBlockId;
      readonly span: Span;
    }
  /** `targets[index]`, a u32; an index past the end cannot happen. */
  | {
      readonly kind: 'switch';
      readonly index: Expression;
      readonly targets: readonly FlowBlockId[];
      readonly span: Span;
    }
  | { readonly kind: 'return'; readonly span: Span };

/** Makes the locals and labels that structured code needs besides the blocks. */
export interface FreshNames {
  /** A new local of the module; returns its id. */
  local(name: string, type: Type, span: Span): LocalId;
  /** A label for a `block` statement. */
  label(): number;
}
