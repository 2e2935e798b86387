import type { PointerType, ScalarType, Type, ValueType, VectorType } from './type.ts';
import type { Span } from './span.ts';

/**
 * Expressions are pure. They read locals, parameters and built-ins, but never memory. Passes may
 * share and move them, and evaluate them any number of times. Their only effect is a fault, such as
 * integer division by zero. So `select` and `logical` evaluate only the selected operands.
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
  | ClusterPointerExpression
  | PointerOffsetExpression
  | PointerCastExpression
  | IntrinsicExpression;

export type ExpressionKind = Expression['kind'];

/** Index into `Module.locals`. */
export type LocalId = number;
/** Index into `Module.arrays`. */
export type ArrayId = number;

interface ExpressionBase {
  readonly type: Type;
  /** The span, if a fault or a diagnostic may point at the expression itself. */
  readonly span?: Span;
}

/**
 * `value` is a boolean for bool, and a bigint for i64 and u64. Otherwise it is a number, already
 * rounded and in the range of the type.
 */
export interface ConstantExpression extends ExpressionBase {
  readonly kind: 'constant';
  readonly type: ScalarType;
  readonly value: number | bigint | boolean;
}

/** The current value of a local. */
export interface LocalExpression extends ExpressionBase {
  readonly kind: 'local';
  readonly local: LocalId;
}

/** Index into `Module.params`. */
export interface ParamExpression extends ExpressionBase {
  readonly kind: 'param';
  readonly param: number;
}

/** The address of a local or shared array. */
export interface ArrayExpression extends ExpressionBase {
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

/** A u32 that the launch defines. */
export interface BuiltinExpression extends ExpressionBase {
  readonly kind: 'builtin';
  readonly type: ScalarType;
  readonly builtin: Builtin;
}

/**
 * A field of a handle, of the field's `type`. A nested field is either a field of another handle,
 * or has a flattened name (`a.b`).
 */
export interface FieldExpression extends ExpressionBase {
  readonly kind: 'field';
  readonly base: Expression;
  readonly field: string;
}

/**
 * `bitNot`, `popcount`, `clz` and `ctz` take integers, and `not` takes a bool. The result has the
 * operand's type.
 */
export type UnaryOp = 'neg' | 'not' | 'bitNot' | 'popcount' | 'clz' | 'ctz';

export interface UnaryExpression extends ExpressionBase {
  readonly kind: 'unary';
  readonly op: UnaryOp;
  readonly operand: Expression;
}

export type BinaryOp = 'add' | 'sub' | 'mul' | 'div' | 'rem' | 'and' | 'or' | 'xor' | 'shl' | 'shr' | 'min' | 'max';

/**
 * Both operands and the result have one type. Vectors are computed element by element. Integers
 * wrap. Integer `div` and `rem` truncate, and fault on a zero divisor and on the smallest value by
 * -1. A shift count is masked to the width. `shr` depends on signedness. Floats round to their type
 * after every operation. `min` and `max` of floats ignore a NaN operand. `addr` supports `add`,
 * `sub` and `mul`, and faults if the result is outside 0 to 2^53 - 1.
 */
export interface BinaryExpression extends ExpressionBase {
  readonly kind: 'binary';
  readonly op: BinaryOp;
  readonly left: Expression;
  readonly right: Expression;
}

export type CompareOp = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';

/**
 * Compares two scalars of one type, or the addresses of two pointers of one space. The result is
 * bool.
 */
export interface CompareExpression extends ExpressionBase {
  readonly kind: 'compare';
  readonly type: ScalarType;
  readonly op: CompareOp;
  readonly left: Expression;
  readonly right: Expression;
}

/** Evaluates `right` only if `left` does not decide the result. */
export interface LogicalExpression extends ExpressionBase {
  readonly kind: 'logical';
  readonly type: ScalarType;
  readonly op: 'and' | 'or';
  readonly left: Expression;
  readonly right: Expression;
}

/** Evaluates only the selected operand. */
export interface SelectExpression extends ExpressionBase {
  readonly kind: 'select';
  readonly condition: Expression;
  readonly then: Expression;
  readonly else: Expression;
}

/**
 * Converts between scalars, or between vectors of one width, element by element. Integers keep
 * their value modulo 2^N. Float to integer truncates and saturates, and NaN becomes 0. A conversion
 * to a narrower float rounds to nearest even. For e4m3 and e5m2 it saturates to the largest finite
 * value. A conversion to bool is `!= 0`. A negative integer faults when converted to `addr`. A
 * pointer converts to u32, as the low 32 bits of its address, which show its alignment. A global
 * pointer also converts to u64, as its device address (see `addressPointer`).
 */
export interface ConvertExpression extends ExpressionBase {
  readonly kind: 'convert';
  readonly type: ValueType;
  readonly operand: Expression;
}

/** Reinterprets the little-endian bytes as another type of the same size. */
export interface BitcastExpression extends ExpressionBase {
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
 * `abs` also takes integers, and the others take only floats. `fma(a, b, c)` rounds once. `round`
 * goes to even on ties.
 */
export interface MathExpression extends ExpressionBase {
  readonly kind: 'math';
  readonly function: MathFunction;
  readonly args: readonly Expression[];
}

/** Makes a vector of its elements. A single element is repeated. */
export interface VectorExpression extends ExpressionBase {
  readonly kind: 'vector';
  readonly type: VectorType;
  readonly elements: readonly Expression[];
}

/** Element `index` (u32 or i32) of a vector. An index past the width faults. */
export interface LaneExpression extends ExpressionBase {
  readonly kind: 'lane';
  readonly vector: Expression;
  readonly index: Expression;
}

/** The vector with element `index` replaced. */
export interface WithLaneExpression extends ExpressionBase {
  readonly kind: 'withLane';
  readonly type: VectorType;
  readonly vector: Expression;
  readonly index: Expression;
  readonly value: Expression;
}

/**
 * The address of byte `offset` (addr) of the window's copy at LSA rank `peer` (i32). The offset is
 * not checked, but an access outside the window faults.
 */
export interface WindowPointerExpression extends ExpressionBase {
  readonly kind: 'windowPointer';
  readonly type: PointerType;
  readonly window: Expression;
  readonly peer: Expression;
  readonly offset: Expression;
}

/**
 * The global pointer of a device address: `address` is a u64 or an addr. The pointer has the bounds
 * of the allocation that contains the byte, or that begins or ends there. If the rank can reach no
 * allocation there, an access faults. Address 0 is the null pointer.
 */
export interface AddressPointerExpression extends ExpressionBase {
  readonly kind: 'addressPointer';
  readonly type: PointerType;
  readonly address: Expression;
}

/**
 * The multicast address of byte `offset` (addr) of the window, over the ranks of `group` (addr),
 * the base of a multimem handle. Only intrinsics may access memory through it. A plain access
 * faults. The address is null if there is no such group.
 */
export interface MulticastPointerExpression extends ExpressionBase {
  readonly kind: 'multicastPointer';
  readonly type: PointerType;
  readonly window: Expression;
  readonly group: Expression;
  readonly offset: Expression;
}

/**
 * The address of the same byte in the copy of member number `member` (i32) of the group. Portable
 * bodies of operations on multicast addresses use it. The result is invalid if `pointer` is not a
 * multicast address, or if the group has no such member. Faults if the address is not aligned for
 * its elements, as multicast instructions do.
 */
export interface UnicastPointerExpression extends ExpressionBase {
  readonly kind: 'unicastPointer';
  readonly type: PointerType;
  readonly pointer: Expression;
  readonly member: Expression;
}

/**
 * The number of members in the group of a multicast address (i32). It is 0 if `pointer` is not a
 * multicast address.
 */
export interface MulticastSizeExpression extends ExpressionBase {
  readonly kind: 'multicastSize';
  readonly type: ScalarType;
  readonly pointer: Expression;
}

/**
 * The address of the same byte in the shared memory of the CTA with this `rank` (u32) in the
 * cluster. `pointer` points to shared memory of the thread's own CTA. If the cluster has no such
 * CTA, an access faults.
 */
export interface ClusterPointerExpression extends ExpressionBase {
  readonly kind: 'clusterPointer';
  readonly type: PointerType;
  readonly pointer: Expression;
  readonly rank: Expression;
}

/** The pointer moved by `index` elements. `index` may have any integer type except bool. */
export interface PointerOffsetExpression extends ExpressionBase {
  readonly kind: 'pointerOffset';
  readonly type: PointerType;
  readonly pointer: Expression;
  readonly index: Expression;
}

/** The same address with another element type, in the same space. */
export interface PointerCastExpression extends ExpressionBase {
  readonly kind: 'pointerCast';
  readonly type: PointerType;
  readonly pointer: Expression;
}

/**
 * A call of a pure intrinsic with its definition: `expansion` is the portable body with the
 * arguments substituted. A backend either emits its own code for the call (by `name`, `statics`,
 * `args`) or emits the expansion.
 */
export interface IntrinsicExpression extends ExpressionBase {
  readonly kind: 'intrinsic';
  readonly name: string;
  readonly statics: readonly Static[];
  readonly args: readonly Expression[];
  readonly expansion: Expression;
}

/**
 * A group of threads of one CTA that act together. Every thread of the group must reach the
 * operation that uses it.
 *
 * `tile` is an aligned group of `size` threads, a power of two up to 32. A warp is a tile of 32
 * threads, and a single thread is a tile of 1. `lanes` are the threads of a warp in the u32 `mask`.
 * `warpSpan` is `count` warps from warp `first` on, both u32. It uses the named barrier 1 + `id`.
 */
export type Coop =
  | { readonly kind: 'tile'; readonly size: number }
  | { readonly kind: 'lanes'; readonly mask: Expression }
  | { readonly kind: 'warpSpan'; readonly first: Expression; readonly count: Expression; readonly id: Expression }
  | { readonly kind: 'cta' };

export type CoopKind = Coop['kind'];

/** A compile-time argument of an intrinsic. */
export type Static =
  | { readonly kind: 'type'; readonly name: string; readonly type: Type }
  | { readonly kind: 'word'; readonly name: string; readonly word: string }
  | { readonly kind: 'number'; readonly name: string; readonly number: number | bigint | boolean }
  | { readonly kind: 'coop'; readonly name: string; readonly coop: Coop }
  /** The author's own group. Only the portable body supports it. */
  | { readonly kind: 'custom'; readonly name: string };
