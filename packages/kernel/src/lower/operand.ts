import type { Coop, Expression, Span, Type, ValueType } from '@nccl-ts/ir';
import { typeName } from '@nccl-ts/ir';
import type { HandleParam, StructParam } from '../author/param-type.ts';

/**
 * The result of an expression during compilation. It is either a run-time value, or a compile-time
 * value that appears in the IR only through its uses.
 */
export type Operand =
  | ValueOperand
  | LiteralOperand
  | ChoiceOperand
  | WordOperand
  | TypeOperand
  | CoopOperand
  | RecordOperand
  | FunctionOperand
  | SessionOperand
  | UnrollOperand
  | AbsentOperand
  | VoidOperand
  | PoisonOperand;

/** A run-time value. A handle includes its declaration, which lists its members. */
export interface ValueOperand {
  readonly kind: 'value';
  readonly value: Expression;
  readonly handle?: HandleParam;
}

/** An operand and its span. */
export interface SpannedOperand {
  readonly operand: Operand;
  readonly span: Span;
}

/** A number or boolean that has no type yet. */
export interface LiteralOperand {
  readonly kind: 'literal';
  readonly literal: number | bigint | boolean;
}

/** One of two literals, chosen at run time. It has no type yet. */
export interface ChoiceOperand {
  readonly kind: 'choice';
  readonly condition: Expression;
  readonly then: LiteralOperand | ChoiceOperand;
  readonly else: LiteralOperand | ChoiceOperand;
}

/** A string: an order, a scope, a text for print. */
export interface WordOperand {
  readonly kind: 'word';
  readonly word: string;
}

export interface TypeOperand {
  readonly kind: 'type';
  readonly type: ValueType;
}

export interface CoopOperand {
  readonly kind: 'coop';
  readonly coop: Coop;
}

/** Named members: a module, a struct, an options object, or a group of the author's own. */
export interface RecordOperand {
  readonly kind: 'record';
  /** A description, for messages. */
  readonly name: string;
  readonly members: ReadonlyMap<string, Operand>;
  /** The spans of each member's name and value, if this is an object literal. */
  readonly memberSpans?: ReadonlyMap<string, { readonly name: Span; readonly value: Span }>;
  readonly struct?: StructParam;
  /** Members that can be assigned; a read returns the present value. */
  readonly cells?: ReadonlyMap<string, CellBox>;
  /**
   * Binds session state that may be bound only once. Returns `false` if the name is not such state.
   */
  readonly bindFixed?: (name: string, operand: Operand, span: Span) => boolean;
}

/** A callable operand. */
export interface FunctionOperand {
  readonly kind: 'function';
  readonly name: string;
  readonly call: (call: CallOperands) => Operand;
}

/** A session object; its methods are members. */
export interface SessionOperand {
  readonly kind: 'session';
  readonly name: string;
  readonly members: ReadonlyMap<string, FunctionOperand>;
  /** Removes the session's destructor from the block that made it; the caller must then run it. */
  readonly handOver: () => SessionEnding | undefined;
}

/** Ends a session by emitting its destructor. */
export interface SessionEnding {
  readonly end: (span: Span) => void;
}

export interface UnrollOperand {
  readonly kind: 'unroll';
  readonly count: number;
}

/** An optional argument that was not given, or an `undefined` in the author's text. */
export interface AbsentOperand {
  readonly kind: 'absent';
}

/** The result of a call that has none. */
export interface VoidOperand {
  readonly kind: 'void';
}

/** Replaces an operand after a report. Its uses cause no further reports. */
export interface PoisonOperand {
  readonly kind: 'poison';
}

export interface Argument {
  readonly operand: Operand;
  readonly span: Span;
}

export interface CallOperands {
  readonly args: readonly Argument[];
  readonly span: Span;
  /** The value is not used. */
  readonly discard: boolean;
}

/** The storage of a variable. Each value in it is a local of the module. */
export type VariableCell =
  | { kind: 'unset'; readonly name: string; readonly span: Span }
  /** The value was reported, so its uses cause no further reports. */
  | { kind: 'poison' }
  | { kind: 'local'; readonly local: number; readonly type: Type; readonly name: string; readonly handle?: HandleParam }
  | {
      kind: 'record';
      readonly name: string;
      readonly record: RecordOperand;
      readonly cells: ReadonlyMap<string, CellBox>;
    };

/** A variable. Its first assignment determines its cell. */
export interface CellBox {
  cell: VariableCell;
}

export const poison: PoisonOperand = { kind: 'poison' };
export const nothing: VoidOperand = { kind: 'void' };
export const absent: AbsentOperand = { kind: 'absent' };

export function valueOperand(value: Expression, handle?: HandleParam): ValueOperand {
  return handle === undefined ? { kind: 'value', value } : { kind: 'value', value, handle };
}

export function literalOperand(literal: number | bigint | boolean): LiteralOperand {
  return { kind: 'literal', literal };
}

export function functionOperand(name: string, call: (call: CallOperands) => Operand): FunctionOperand {
  return { kind: 'function', name, call };
}

export function recordOperand(name: string, members: Iterable<readonly [string, Operand]>): RecordOperand {
  return { kind: 'record', name, members: new Map(members) };
}

/** Describes an operand, for messages. */
export function describe(operand: Operand): string {
  switch (operand.kind) {
    case 'value':
      return typeName(operand.value.type);
    case 'literal':
      return typeof operand.literal === 'boolean' ? 'a truth value' : `the number ${operand.literal}`;
    case 'choice':
      return 'one of two numbers';
    case 'word':
      return `the string '${operand.word}'`;
    case 'type':
      return `the type ${typeName(operand.type)}`;
    case 'coop':
      return 'a thread group';
    case 'record':
      return operand.struct === undefined ? operand.name : `a ${operand.struct.struct}`;
    case 'function':
      return `the function '${operand.name}'`;
    case 'session':
      return `a session ('${operand.name}')`;
    case 'unroll':
      return 'unroll(n)';
    case 'absent':
      return 'undefined';
    case 'void':
      return 'no value';
    case 'poison':
      return 'something wrong';
  }
}
