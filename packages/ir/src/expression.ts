import type { PointerType, ScalarType, Type, ValueType, VectorType } from './type.ts';
import type { Span } from './span.ts';
import type { Static } from './static.ts';

/**
 * Expressions are pure: they read locals, parameters and built-ins, never memory, and may be
 * shared, moved and evaluated any number of times. They can only fault (integer division by zero),
 * so `select` and `logical` evaluate only the selected operands.
 */
export type Expression =
  | ConstantExpression
  | LocalExpression
  | ParamExpression
  | ArrayExpression
  | BuiltinExpression
  | FieldExpression
  | UnaryExpression
  | BinaryExpression
  | CompareExpression
  | LogicalExpression
  | SelectExpression
  | ConvertExpression
  | BitcastExpression
  | MathExpression
  | VectorExpression
  | LaneExpression
  | WithLaneExpression
  | WindowPointerExpression
  | AddressPointerExpression
  | MulticastPointerExpression
  | UnicastPointerExpression
  | MulticastSizeExpression
  | PointerOffsetExpression
  | PointerCastExpression
  | IntrinsicExpression;

export type ExpressionKind = Expression['kind'];

/** Index into `Module.locals`. */
export type LocalId = number;
/** Index into `Module.arrays`. */
export type ArrayId = number;

interface Node {
  readonly type: Type;
  /** Present where a fault or a diagnostic may point at the expression itself. */
  readonly span?: Span;
}

/**
 * `value` is a boolean for bool, a bigint for i64 and u64, else a number already rounded and in
 * range of the type.
 */
export interface ConstantExpression extends Node {
  readonly kind: 'constant';
  readonly type: ScalarType;
  readonly value: number | bigint | boolean;
}

/** The present value of a local. */
export interface LocalExpression extends Node {
  readonly kind: 'local';
  readonly local: LocalId;
}

/** Index into `Module.params`. */
export interface ParamExpression extends Node {
  readonly kind: 'param';
  readonly param: number;
}

/** The address of a local or shared array. */
export interface ArrayExpression extends Node {
  readonly kind: 'array';
  readonly type: PointerType;
  readonly array: ArrayId;
}

export type Builtin =
  | 'threadIdx.x'
  | 'threadIdx.y'
  | 'threadIdx.z'
  | 'blockIdx.x'
  | 'blockIdx.y'
  | 'blockIdx.z'
  | 'blockDim.x'
  | 'blockDim.y'
  | 'blockDim.z'
  | 'gridDim.x'
  | 'gridDim.y'
  | 'gridDim.z'
  /** threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) */
  | 'threadLinear'
  /** blockDim.x * blockDim.y * blockDim.z */
  | 'blockThreads'
  /** threadLinear % 32 */
  | 'laneId'
  /** 32 */
  | 'warpSize';

/** A u32 of the launch. */
export interface BuiltinExpression extends Node {
  readonly kind: 'builtin';
  readonly type: ScalarType;
  readonly builtin: Builtin;
}

/**
 * A field of a handle; `type` is the field's. Fields of fields are handles again, or flattened
 * names (`a.b`).
 */
export interface FieldExpression extends Node {
  readonly kind: 'field';
  readonly base: Expression;
  readonly field: string;
}

/** `bitNot`, `popcount`, `clz`, `ctz`: integers; `not`: bool; counts have the operand's type. */
export type UnaryOp = 'neg' | 'not' | 'bitNot' | 'popcount' | 'clz' | 'ctz';

export interface UnaryExpression extends Node {
  readonly kind: 'unary';
  readonly op: UnaryOp;
  readonly operand: Expression;
}

export type BinaryOp = 'add' | 'sub' | 'mul' | 'div' | 'rem' | 'and' | 'or' | 'xor' | 'shl' | 'shr' | 'min' | 'max';

/**
 * Both operands and the result have one type, element by element for vectors. Integers wrap;
 * integer `div` and `rem` truncate and fault on zero and on the smallest value by -1; a shift count
 * is masked to the width; `shr` depends on signedness. Floats round to their type after every
 * operation. `min` and `max` of floats ignore a NaN operand. `addr` supports `add`, `sub` and
 * `mul`; a result outside 0 to 2^53 - 1 faults.
 */
export interface BinaryExpression extends Node {
  readonly kind: 'binary';
  readonly op: BinaryOp;
  readonly left: Expression;
  readonly right: Expression;
}

export type CompareOp = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';

/** Two scalars (or two pointers of one space, by address) of one type; the result is bool. */
export interface CompareExpression extends Node {
  readonly kind: 'compare';
  readonly type: ScalarType;
  readonly op: CompareOp;
  readonly left: Expression;
  readonly right: Expression;
}

/** Evaluates `right` only if `left` does not decide the result. */
export interface LogicalExpression extends Node {
  readonly kind: 'logical';
  readonly type: ScalarType;
  readonly op: 'and' | 'or';
  readonly left: Expression;
  readonly right: Expression;
}

/** Evaluates only the chosen side. */
export interface SelectExpression extends Node {
  readonly kind: 'select';
  readonly condition: Expression;
  readonly then: Expression;
  readonly else: Expression;
}

/**
 * Conversion between scalars, or element by element between vectors of one width. Integers keep
 * their value modulo 2^N; float to int truncates, saturates, and NaN gives 0; to a narrower float
 * rounds to nearest even (to e4m3 and e5m2 saturating to the largest finite value); to bool is `!=
 * 0`. To `addr` from an integer: a negative value faults. A pointer converts to u32: the low 32
 * bits of its address, which show its alignment. A global pointer also converts to u64: its device
 * address, as in `addressPointer`.
 */
export interface ConvertExpression extends Node {
  readonly kind: 'convert';
  readonly type: ValueType;
  readonly operand: Expression;
}

/** The same bytes (little endian) as another type of the same size. */
export interface BitcastExpression extends Node {
  readonly kind: 'bitcast';
  readonly type: ValueType;
  readonly operand: Expression;
}

export type MathFunction =
  | 'abs'
  | 'fma'
  | 'sqrt'
  | 'rsqrt'
  | 'exp'
  | 'exp2'
  | 'log'
  | 'log2'
  | 'sin'
  | 'cos'
  | 'tanh'
  | 'pow'
  | 'floor'
  | 'ceil'
  | 'round'
  | 'trunc';

/**
 * `abs` also takes integers; the others only floats. `fma(a, b, c)` rounds once. `round` goes to
 * even on ties.
 */
export interface MathExpression extends Node {
  readonly kind: 'math';
  readonly function: MathFunction;
  readonly args: readonly Expression[];
}

/** A vector of its elements; a single element is repeated. */
export interface VectorExpression extends Node {
  readonly kind: 'vector';
  readonly type: VectorType;
  readonly elements: readonly Expression[];
}

/** Element `index` (u32 or i32) of a vector; an index past the width faults. */
export interface LaneExpression extends Node {
  readonly kind: 'lane';
  readonly vector: Expression;
  readonly index: Expression;
}

/** The vector with element `index` replaced. */
export interface WithLaneExpression extends Node {
  readonly kind: 'withLane';
  readonly type: VectorType;
  readonly vector: Expression;
  readonly index: Expression;
  readonly value: Expression;
}

/**
 * The address of byte `offset` (addr) of the window's copy at LSA rank `peer` (i32). No range
 * check: an access through it faults where it leaves the window.
 */
export interface WindowPointerExpression extends Node {
  readonly kind: 'windowPointer';
  readonly type: PointerType;
  readonly window: Expression;
  readonly peer: Expression;
  readonly offset: Expression;
}

/**
 * The global pointer of a device address: `address` is u64 or addr, as a launch passes it or memory
 * holds it. It points into the allocation that contains that byte, or begins or ends there, and
 * keeps its bounds. An access faults if the rank can reach no allocation at the address. Address 0
 * is the null pointer.
 */
export interface AddressPointerExpression extends Node {
  readonly kind: 'addressPointer';
  readonly type: PointerType;
  readonly address: Expression;
}

/**
 * The multicast address of byte `offset` (addr) of the window, over the ranks of `group` (addr),
 * the base of a multimem handle. Only intrinsics access it; a plain access faults. Null if there is
 * no such group.
 */
export interface MulticastPointerExpression extends Node {
  readonly kind: 'multicastPointer';
  readonly type: PointerType;
  readonly window: Expression;
  readonly group: Expression;
  readonly offset: Expression;
}

/**
 * The same byte in the copy of the group's member number `member` (i32), for portable bodies of
 * operations on multicast addresses. Invalid if `pointer` is not a multicast address, or the group
 * has no such member. Faults if the address is not aligned for its elements, as the instructions on
 * it do.
 */
export interface UnicastPointerExpression extends Node {
  readonly kind: 'unicastPointer';
  readonly type: PointerType;
  readonly pointer: Expression;
  readonly member: Expression;
}

/** The number of members in the group of a multicast address (i32); 0 if `pointer` is not one. */
export interface MulticastSizeExpression extends Node {
  readonly kind: 'multicastSize';
  readonly type: ScalarType;
  readonly pointer: Expression;
}

/** `index` elements further; `index` is any integer type but bool. */
export interface PointerOffsetExpression extends Node {
  readonly kind: 'pointerOffset';
  readonly type: PointerType;
  readonly pointer: Expression;
  readonly index: Expression;
}

/** The same address with another element type, in the same space. */
export interface PointerCastExpression extends Node {
  readonly kind: 'pointerCast';
  readonly type: PointerType;
  readonly pointer: Expression;
}

/**
 * A call of a pure intrinsic with its definition: `expansion` is the portable body with the
 * arguments substituted. A backend either emits its own code for the call (by `name`, `statics`,
 * `args`) or emits the expansion.
 */
export interface IntrinsicExpression extends Node {
  readonly kind: 'intrinsic';
  readonly name: string;
  readonly statics: readonly Static[];
  readonly args: readonly Expression[];
  readonly expansion: Expression;
}
