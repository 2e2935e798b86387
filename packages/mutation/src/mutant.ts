import type { Diagnostic, Span, ValidatedModule } from '@nccl-ts/ir';

/**
 * The change to a kernel:
 *
 * - `order-weakened`: an ordered access or fence is one step weaker; a fence that would order
 *   nothing is removed instead;
 * - `access-plain`: an ordered load or store is a plain one;
 * - `atomic-split`: a read-modify-write is a plain load and a plain store;
 * - `scope-narrowed`: system scope is device scope, device scope is block scope;
 * - `fence-removed`, `proxy-fence-removed`;
 * - `sync-removed`: threads do not synchronize; `sync-narrowed`: each warp synchronizes separately;
 * - `wait-removed`: a wait assumes that its condition holds; `poll-once`: a polling loop checks
 *   only once;
 * - `wait-one-less`: a wait accepts a value that is one too low;
 * - `call-removed`: a call of the device API is removed, with all its effects;
 * - `arrive-removed`, `await-removed`: one half of a barrier's `sync` is removed;
 * - `call-order-weakened`: a call is made with a weaker order; `call-fence-lowered`: a GIN barrier
 *   fences less;
 * - `signal-weakened`: a strong signal becomes weak; `signal-removed`, `counter-removed`: a request
 *   loses its signal or counter;
 * - `context-changed`: a request uses the next context;
 * - `primitive-removed`: `gin.acquire`, `gin.release` or `gin.reset` is removed.
 */
export type MutationOperator =
  | 'order-weakened'
  | 'access-plain'
  | 'atomic-split'
  | 'scope-narrowed'
  | 'fence-removed'
  | 'proxy-fence-removed'
  | 'sync-removed'
  | 'sync-narrowed'
  | 'wait-removed'
  | 'poll-once'
  | 'wait-one-less'
  | 'call-removed'
  | 'arrive-removed'
  | 'await-removed'
  | 'call-order-weakened'
  | 'call-fence-lowered'
  | 'signal-weakened'
  | 'signal-removed'
  | 'counter-removed'
  | 'context-changed'
  | 'primitive-removed';

/** A kernel in which one synchronization is missing or weaker. It is frozen. */
export interface Mutant {
  /**
   * The site and operator, as in `lsa.barrierSession.sync#2/fence#1:fence-removed`. It is the same
   * for the same kernel.
   */
  readonly id: string;
  readonly operator: MutationOperator;
  /** One sentence that describes the change. */
  readonly does: string;
  /** The span of the changed statement. */
  readonly span: Span;
  readonly module: ValidatedModule;
}

/** A mutant that is not a valid module for the kernel's backend, and the reason. */
export interface RejectedMutant extends Omit<Mutant, 'module'> {
  readonly diagnostics: readonly Diagnostic[];
}

/** All changes that were tried on a kernel. It is frozen. */
export interface Mutation {
  readonly mutants: readonly Mutant[];
  readonly rejected: readonly RejectedMutant[];
  /** The ids of mutants that behave like another mutant, or like the kernel itself. */
  readonly repeated: readonly string[];
}
