import type { Body, Expression, LocalId, Span, Type } from '@nccl-ts/ir';

/**
 * The control flow of a function: straight-line blocks of IR, and their successors. Block 0 is the
 * entry. Statements of blocks are never loops, `return`s, `leave`s, or `if`s that contain jumps. An
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
  /** The u32 index into `targets`. It is never past the end. */
  | {
      readonly kind: 'switch';
      readonly index: Expression;
      readonly targets: readonly FlowBlockId[];
      readonly span: Span;
    }
  | { readonly kind: 'return'; readonly span: Span };

/** Makes the additional locals and labels that structured code needs. */
export interface FreshNames {
  /** Adds a local to the module, and returns its id. */
  local(name: string, type: Type, span: Span): LocalId;
  /** A label for a `block` statement. */
  label(): number;
}
