import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import type { Coop } from './coop.ts';
import type { Expression, LocalId } from './expression.ts';
import type { Span } from './span.ts';
import type { Static } from './static.ts';

/**
 * Statements have effects; every one has a span. Programs run them in order, one thread at a time
 * or all at once.
 */
export type Statement =
  | AssignStatement
  | LoadStatement
  | StoreStatement
  | AtomicStatement
  | FenceStatement
  | FenceProxyStatement
  | SyncStatement
  | WaitStatement
  | WaitAllStatement
  | CollectiveStatement
  | IfStatement
  | LoopStatement
  | BreakStatement
  | ContinueStatement
  | BlockStatement
  | LeaveStatement
  | ReturnStatement
  | AssertStatement
  | PrintStatement
  | ClockStatement
  | CallStatement;

export type StatementKind = Statement['kind'];
export type Body = readonly Statement[];

interface Node {
  readonly span: Span;
}

/** How strongly an access is ordered; absent for a plain (weak) access. */
export interface AtomicAccess {
  readonly order: MemoryOrder;
  readonly scope: MemoryScope;
  /**
   * True if it is a volatile access of PTX. The memory model takes it for a relaxed one at system
   * scope. GPUs order more: see `HardwareOrder` of `@nccl-ts/memory-model`.
   */
  readonly volatile?: true;
}

export interface AssignStatement extends Node {
  readonly kind: 'assign';
  readonly local: LocalId;
  readonly value: Expression;
}

/** Reads the element `pointer` points at. */
export interface LoadStatement extends Node {
  readonly kind: 'load';
  readonly local: LocalId;
  readonly pointer: Expression;
  readonly access?: AtomicAccess;
}

export interface StoreStatement extends Node {
  readonly kind: 'store';
  readonly pointer: Expression;
  readonly value: Expression;
  readonly access?: AtomicAccess;
}

export type AtomicOp = 'add' | 'sub' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exch' | 'cas';

/**
 * A read-modify-write; `local`, if present, takes the value before. `expected` is present for `cas`
 * alone.
 */
export interface AtomicStatement extends Node {
  readonly kind: 'atomic';
  readonly op: AtomicOp;
  readonly local?: LocalId;
  readonly pointer: Expression;
  readonly value: Expression;
  readonly expected?: Expression;
  readonly access: AtomicAccess;
}

export interface FenceStatement extends Node {
  readonly kind: 'fence';
  readonly access: AtomicAccess;
}

/**
 * Orders accesses to the same bytes through different virtual addresses (multicast and unicast).
 */
export interface FenceProxyStatement extends Node {
  readonly kind: 'fenceProxy';
  readonly proxy: 'alias';
}

/**
 * All threads of `coop` meet; what each wrote before is visible to the others after (block scope).
 */
export interface SyncStatement extends Node {
  readonly kind: 'sync';
  readonly coop: Coop;
}

/**
 * Blocks until `condition` holds. `body` only loads, reads the clock, assigns, and branches; it may
 * run any number of times, and the locals it assigns hold what its last run gave them. A body that
 * reads the clock ends by itself some day, so it is never part of a deadlock.
 */
export interface WaitStatement extends Node {
  readonly kind: 'wait';
  readonly body: Body;
  readonly condition: Expression;
}

/**
 * Blocks each thread of `coop` until the condition has held for every `index` below `count` that
 * falls to it: its place in the group, and every so many further on as the group has threads, each
 * one latched. All of the group come here. True if a thread also waits for what falls to others is
 * not promised: it is ordered after what it looked at itself, and a `sync` makes the rest known to
 * all. Nothing that the body assigns may be read afterwards.
 */
export interface WaitAllStatement extends Node {
  readonly kind: 'waitAll';
  readonly coop: Coop;
  readonly count: Expression;
  /** A u32 local that the body reads. */
  readonly index: LocalId;
  readonly body: Body;
  readonly condition: Expression;
}

/**
 * `bcast`: the value of group member `lane`; `shfl`: of the named lane of the tile; `shflUp`,
 * `shflDown`, `shflXor`: relative to the own lane, the own value where that leaves the tile;
 * `ballot`: a u32 mask of the lanes whose bool value holds; `any`, `all`: over the group;
 * `activeMask`: the u32 mask of the warp's lanes that run together.
 */
export type CollectiveOp =
  | 'bcast'
  | 'shfl'
  | 'shflUp'
  | 'shflDown'
  | 'shflXor'
  | 'ballot'
  | 'any'
  | 'all'
  | 'activeMask';

/**
 * `value` is absent for `activeMask` alone; `lane` (u32) is present for `bcast` and the shuffles.
 */
export interface CollectiveStatement extends Node {
  readonly kind: 'collective';
  readonly op: CollectiveOp;
  readonly coop: Coop;
  readonly local: LocalId;
  readonly value?: Expression;
  readonly lane?: Expression;
}

export interface IfStatement extends Node {
  readonly kind: 'if';
  readonly condition: Expression;
  readonly then: Body;
  readonly else: Body;
}

/**
 * Runs `body` and then `update` for as long as `condition` (tested before each round; absent: true)
 * holds. `continue` in `body` goes to `update`; `break` may stand in both.
 */
export interface LoopStatement extends Node {
  readonly kind: 'loop';
  readonly condition?: Expression;
  readonly body: Body;
  readonly update: Body;
}

/** Leaves the innermost loop. */
export interface BreakStatement extends Node {
  readonly kind: 'break';
}

/** Goes on with the `update` of the innermost loop. */
export interface ContinueStatement extends Node {
  readonly kind: 'continue';
}

/** A body that `leave` statements inside it may end early; `label` is unique in the module. */
export interface BlockStatement extends Node {
  readonly kind: 'block';
  readonly label: number;
  readonly body: Body;
}

export interface LeaveStatement extends Node {
  readonly kind: 'leave';
  readonly label: number;
}

/** Ends this thread's kernel. */
export interface ReturnStatement extends Node {
  readonly kind: 'return';
}

/** Faults with `message` where `condition` does not hold. */
export interface AssertStatement extends Node {
  readonly kind: 'assert';
  readonly condition: Expression;
  /** Of a contract: `{}` stands for each of `values` in turn, as \`contractText\` fills them in. */
  readonly message: string;
  /**
   * Of contracts: what the message tells of. They are computed only where the condition does not
   * hold.
   */
  readonly values?: readonly Expression[];
  /**
   * What a caller owes, and NCCL does not check: a backend that reports misuse reports it as such,
   * the others leave it out. Absent: an assertion of the author's own, which every backend tests.
   */
  readonly contract?: true;
}

export interface PrintStatement extends Node {
  readonly kind: 'print';
  readonly args: readonly (string | Expression)[];
}

/** Reads the u64 cycle counter. */
export interface ClockStatement extends Node {
  readonly kind: 'clock';
  readonly local: LocalId;
}

/**
 * A call of an intrinsic that has effects. With a `body` it carries its own meaning: a backend
 * either writes the call in its own words or runs the body, which leaves the result in `local`.
 * Without one it is a primitive that a backend implements or lacks. `session` names the session
 * object that a constructor makes and methods use.
 */
export interface CallStatement extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly statics: readonly Static[];
  readonly args: readonly Expression[];
  readonly local?: LocalId;
  readonly session?: number;
  readonly body?: Body;
}
