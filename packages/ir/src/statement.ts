import type { MemoryOrder, MemoryProxy, MemoryScope } from '@nccl-ts/core';
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

/** The order of an access; absent for a plain (weak) access. */
export interface AtomicAccess {
  readonly order: MemoryOrder;
  readonly scope: MemoryScope;
  /**
   * True for a volatile access of PTX. The memory model treats it as a relaxed one at system scope.
   * GPUs order more: see `HardwareOrder` of `@nccl-ts/memory-model`.
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
 * A read-modify-write; `local`, if present, receives the previous value. `expected` is present only
 * for `cas`.
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
export interface FenceAliasStatement extends Node {
  readonly kind: 'fenceProxy';
  readonly proxy: 'alias';
}

/**
 * Orders accesses through the proxy `producer` before those through `consumer`, one of them the
 * fabric proxy. Both halves are needed: a release after the first access, and an acquire before the
 * second. Block scope is for shared memory that an operation of the fabric uses.
 */
export interface FenceFabricStatement extends Node {
  readonly kind: 'fenceProxy';
  readonly proxy: 'fabric';
  readonly producer: MemoryProxy;
  readonly consumer: MemoryProxy;
  readonly access: AtomicAccess;
}

export type FenceProxyStatement = FenceAliasStatement | FenceFabricStatement;

/** A barrier that threads may reach at different statements. */
export interface NamedBarrier {
  /**
   * A u32: `sync`s with equal names, of groups with the same threads, are one barrier. On a GPU, 16
   * and more stand for further uses of barriers 0 to 15, one after the other.
   */
  readonly name: Expression;
  /**
   * A u32, for the CTA alone: the number of threads that synchronize. Whole warps count: one whose
   * threads have all arrived or returned counts as 32. Absent: all threads of the group.
   */
  readonly threads?: Expression;
  /**
   * True if all threads of a warp that have not returned must be at the same statement. Otherwise
   * the barrier does not complete.
   */
  readonly isAligned: boolean;
}

/**
 * All threads of `coop` synchronize; earlier writes of each are visible to the others afterwards
 * (block scope). Without a `barrier`, all of them must be at this statement. The CTA does not wait
 * for threads that have returned, and other groups do.
 */
export interface SyncStatement extends Node {
  readonly kind: 'sync';
  readonly coop: Coop;
  /** For the CTA, a warp, and lanes of a warp. */
  readonly barrier?: NamedBarrier;
  /** For a named barrier of the CTA, all of whose threads vote. */
  readonly vote?: BarrierVote;
}

/** A vote of the threads that complete a barrier together: the primitive `barrier.vote`. */
export interface BarrierVote {
  /** The bool of a thread. */
  readonly value: Expression;
  /** A u32 local: the number of threads whose bool is true. */
  readonly local: LocalId;
}

/**
 * Blocks until `condition` holds. `body` only loads, reads the clock, assigns, and branches. It may
 * run any number of times, and the locals it assigns have the values of the last run. A body that
 * reads the clock ends eventually, so it is never part of a deadlock.
 */
export interface WaitStatement extends Node {
  readonly kind: 'wait';
  readonly body: Body;
  readonly condition: Expression;
}

/**
 * Blocks each thread of `coop` until the condition has held for each of its `index` values below
 * `count`: its rank in the group, and those at multiples of the group's size after it. A condition
 * that has held is not evaluated again. All threads of the group must reach it. A thread may return
 * before the conditions of other threads hold. It is ordered after its own loads, and a `sync`
 * makes the rest visible to all. Locals that the body assigns must not be read afterwards.
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
 * `bcast`: the value of group member `lane`; `shfl`: that of the given lane of the tile; `shflUp`,
 * `shflDown`, `shflXor`: relative to the calling lane, with its own value outside the tile;
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
 * `value` is absent only for `activeMask`; `lane` (u32) is present for `bcast` and the shuffles.
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
 * Runs `body` and then `update` while `condition` (tested before each round; absent: true) holds.
 * `continue` in `body` jumps to `update`; `break` may be in both.
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
  /** For a contract, `contractText` replaces each `{}` by the next of `values`. */
  readonly message: string;
  /**
   * For contracts: the values in the message. They are computed only if the condition does not
   * hold.
   */
  readonly values?: readonly Expression[];
  /**
   * True for a precondition that NCCL does not check: a backend that reports misuse reports it as
   * such, and others omit it. Absent: the author's own assertion, which every backend tests.
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
 * A call of an intrinsic with side effects. A `body` is its definition: a backend either emits its
 * own code for the call or runs the body, which leaves the result in `local`. Without one it is a
 * primitive that a backend implements or lacks. `session` names the session object that a
 * constructor makes and methods use.
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
