import type { AccessScope, MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import type { Expression, LocalId, Coop, Static } from './expression.ts';
import type { Span } from './span.ts';

/**
 * Statements have effects, and each has a span. A thread runs its statements in order. Threads run
 * one at a time or concurrently.
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
  | ApproximateStatement
  | ClockStatement
  | CallStatement;

export type StatementKind = Statement['kind'];
export type Body = readonly Statement[];

interface StatementBase {
  readonly span: Span;
}

/** The order of an access. Absent for a plain (weak) access. */
export interface AtomicAccess {
  readonly order: MemoryOrder;
  readonly scope: AccessScope;
  /**
   * True for a volatile access of PTX. The memory model treats it as a relaxed one at system scope.
   * GPUs order more: see `HardwareOrder` of `@nccl-ts/memory-model`.
   */
  readonly volatile?: true;
  /**
   * True for an atomic of PTX that names no scope, which is then that of the GPU. Its effect on a
   * word of another GPU is not documented.
   */
  readonly unscoped?: true;
  /** Absent if the access is an instruction of its own. */
  readonly part?: VectorPart;
}

/**
 * The position of an access in the vector instruction of PTX that it is a part of. The memory model
 * does not order the parts. GPUs perform them together.
 */
export interface VectorPart {
  /** From 0. */
  readonly index: number;
  /** The number of parts. */
  readonly of: number;
}

export interface AssignStatement extends StatementBase {
  readonly kind: 'assign';
  readonly local: LocalId;
  readonly value: Expression;
}

/** Reads the element that `pointer` points to. */
export interface LoadStatement extends StatementBase {
  readonly kind: 'load';
  readonly local: LocalId;
  readonly pointer: Expression;
  readonly access?: AtomicAccess;
  /**
   * True for `ld.global.nc` of PTX, which GPUs may serve from a cache that no store of the same
   * launch updates.
   */
  readonly isNonCoherent?: true;
}

export interface StoreStatement extends StatementBase {
  readonly kind: 'store';
  readonly pointer: Expression;
  readonly value: Expression;
  readonly access?: AtomicAccess;
  /**
   * True if it is one copy of an ordinary store through a multicast address. PTX leaves such a
   * store undefined. GPUs store to every copy.
   */
  readonly broadcast?: true;
}

export type AtomicOp = 'add' | 'sub' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exch' | 'cas';

/**
 * A read-modify-write. `local`, if present, receives the previous value. `expected` is present only
 * for `cas`.
 */
export interface AtomicStatement extends StatementBase {
  readonly kind: 'atomic';
  readonly op: AtomicOp;
  readonly local?: LocalId;
  readonly pointer: Expression;
  readonly value: Expression;
  readonly expected?: Expression;
  readonly access: AtomicAccess;
}

export interface FenceStatement extends StatementBase {
  readonly kind: 'fence';
  readonly access: AtomicAccess;
}

/**
 * Orders accesses to the same bytes through different virtual addresses (multicast and unicast).
 */
export interface FenceAliasStatement extends StatementBase {
  readonly kind: 'fenceProxy';
  readonly proxy: 'alias';
}

/**
 * Orders accesses through the proxy `producer` before those through `consumer`. One of them is the
 * fabric proxy. Two threads need a release after the first access and an acquire before the second.
 * Block scope is for shared memory that an operation of the fabric uses.
 */
export interface FenceFabricStatement extends StatementBase {
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
   * A u32. `sync`s with equal names, of groups with the same threads, are one barrier. On a GPU, 16
   * and higher are later uses of barriers 0 to 15.
   */
  readonly name: Expression;
  /**
   * The number of threads that synchronize, a u32. Only the CTA has it. Whole warps count: when all
   * threads of a warp have arrived or returned, it counts as 32. If absent, all threads of the
   * group synchronize.
   */
  readonly threads?: Expression;
  /**
   * True if all threads of a warp that have not returned must be at the same statement. Otherwise
   * the barrier does not complete.
   */
  readonly isAligned: boolean;
}

/**
 * All threads of `coop` synchronize. Afterwards the earlier writes of each are visible to the
 * others (block scope). Without a `barrier`, all of them must be at this statement. The CTA does
 * not wait for threads that have returned, but other groups do.
 */
export interface SyncStatement extends StatementBase {
  readonly kind: 'sync';
  readonly coop: Coop;
  /** Only the CTA, a warp, and lanes of a warp may have one. */
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
 * Blocks until `condition` is true. `body` only loads, reads the clock, assigns, and branches. It
 * may run any number of times, and the locals it assigns have the values of the last run. A body
 * that reads the clock ends eventually, so it is never part of a deadlock.
 */
export interface WaitStatement extends StatementBase {
  readonly kind: 'wait';
  readonly body: Body;
  readonly condition: Expression;
}

/**
 * Blocks each thread of `coop` until the condition has been true for each of its `index` values
 * below `count`. A thread's indices start at its rank in the group and increase by the group's
 * size. A condition that has been true is not evaluated again. All threads of the group must reach
 * the statement. A thread may continue before the conditions of other threads are true. It is
 * ordered after its own loads, and a `sync` makes the rest visible to all. Locals that the body
 * assigns must not be read afterwards.
 */
export interface WaitAllStatement extends StatementBase {
  readonly kind: 'waitAll';
  readonly coop: Coop;
  readonly count: Expression;
  /** A u32 local that the body reads. */
  readonly index: LocalId;
  readonly body: Body;
  readonly condition: Expression;
}

/**
 * `bcast`: the value of group member `lane`. `shfl`: the value of the given lane of the tile.
 * `shflUp`, `shflDown`, `shflXor`: the value of a lane relative to the calling lane, or its own
 * value outside the tile. `ballot`: a u32 mask of the lanes whose bool value is true. `any`, `all`:
 * over the group. `activeMask`: the u32 mask of the warp's lanes that run together.
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
 * `value` is absent only for `activeMask`. `lane` (u32) is present for `bcast` and the shuffles.
 */
export interface CollectiveStatement extends StatementBase {
  readonly kind: 'collective';
  readonly op: CollectiveOp;
  readonly coop: Coop;
  readonly local: LocalId;
  readonly value?: Expression;
  readonly lane?: Expression;
}

export interface IfStatement extends StatementBase {
  readonly kind: 'if';
  readonly condition: Expression;
  readonly then: Body;
  readonly else: Body;
}

/**
 * Runs `body` and then `update` while `condition` is true. It is tested before each round, and
 * absent means true. `continue` in `body` jumps to `update`, and `break` may be in both.
 */
export interface LoopStatement extends StatementBase {
  readonly kind: 'loop';
  readonly condition?: Expression;
  readonly body: Body;
  readonly update: Body;
}

/** Leaves the innermost loop. */
export interface BreakStatement extends StatementBase {
  readonly kind: 'break';
}

/** Jumps to the `update` of the innermost loop. */
export interface ContinueStatement extends StatementBase {
  readonly kind: 'continue';
}

/** A body that `leave` statements inside it may end early. `label` is unique in the module. */
export interface BlockStatement extends StatementBase {
  readonly kind: 'block';
  readonly label: number;
  readonly body: Body;
}

export interface LeaveStatement extends StatementBase {
  readonly kind: 'leave';
  readonly label: number;
}

/** Ends the thread. */
export interface ReturnStatement extends StatementBase {
  readonly kind: 'return';
}

/** Faults with `message` if `condition` is false. */
export interface AssertStatement extends StatementBase {
  readonly kind: 'assert';
  readonly condition: Expression;
  /** For a contract, `contractText` replaces each `{}` by the next of `values`. */
  readonly message: string;
  /** The values in the message of a contract. They are computed only if the condition is false. */
  readonly values?: readonly Expression[];
  /**
   * True for a precondition that NCCL does not check. A backend that reports misuse tests it, and
   * others omit it. If absent, this is the author's own assertion, which every backend tests.
   */
  readonly contract?: true;
}

export interface PrintStatement extends StatementBase {
  readonly kind: 'print';
  readonly args: readonly (string | Expression)[];
}

/**
 * Says that what is executed here is modelled in a way that machines need not follow. `how` names
 * it: "%smid as the block's index". It has no effect, except that a check names it in its verdict
 * if it was executed.
 */
export interface ApproximateStatement extends StatementBase {
  readonly kind: 'approximate';
  readonly how: string;
  /** True if values that are computed here are unknown. A result that they reach is not wrong. */
  readonly isOpaque?: true;
}

/** Reads the u64 cycle counter. */
export interface ClockStatement extends StatementBase {
  readonly kind: 'clock';
  readonly local: LocalId;
}

/**
 * A call of an intrinsic with side effects. A `body` is its definition: a backend either emits its
 * own code for the call or runs the body, which leaves the result in `local`. A call without a body
 * is a primitive, which a backend may lack. `session` names the session object that a constructor
 * makes and methods use.
 */
export interface CallStatement extends StatementBase {
  readonly kind: 'call';
  readonly name: string;
  readonly statics: readonly Static[];
  readonly args: readonly Expression[];
  readonly local?: LocalId;
  readonly session?: number;
  readonly body?: Body;
}
