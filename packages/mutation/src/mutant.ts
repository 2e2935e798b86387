import type { Diagnostic, Span, ValidatedModule } from '@nccl-ts/ir';

/**
 * What was done to a kernel:
 *
 * - `order-weakened`: an ordered access or fence is one step weaker; a fence that would order
 *   nothing is removed instead;
 * - `access-plain`: an ordered load or store is an ordinary one;
 * - `atomic-split`: a read-modify-write is an ordinary load and an ordinary store;
 * - `scope-narrowed`: system scope is device scope, device scope is block scope;
 * - `fence-removed`, `proxy-fence-removed`;
 * - `sync-removed`: threads do not meet; `sync-narrowed`: each warp meets by itself;
 * - `wait-removed`: what was waited for is taken for granted; `poll-once`: a loop that polls looks
 *   once;
 * - `wait-one-less`: a wait is content with one less than it should be;
 * - `call-removed`: a call of the device API is gone, all that it does included;
 * - `arrive-removed`, `await-removed`: of a barrier's `sync` one half is gone;
 * - `call-order-weakened`: a call is made with a weaker order; `call-fence-lowered`: a GIN barrier
 *   fences less;
 * - `signal-weakened`: a strong signal is weak; `signal-removed`, `counter-removed`: a request
 *   tells nobody;
 * - `context-changed`: a request goes over the next context;
 * - `primitive-removed`: `gin.acquire`, `gin.release` or `gin.reset` is gone.
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

/** A kernel in which one synchronisation is missing or weaker. Frozen. */
export interface Mutant {
  /**
   * Place and operator, as in `lsa.barrierSession.sync#2/fence#1:fence-removed`; the same for the
   * same kernel.
   */
  readonly id: string;
  readonly operator: MutationOperator;
  /** One sentence. */
  readonly does: string;
  /** Of the statement that was changed. */
  readonly span: Span;
  readonly module: ValidatedModule;
}

/** A mutant that is no valid module for the kernel's backend, and why. */
export interface RejectedMutant extends Omit<Mutant, 'module'> {
  readonly diagnostics: readonly Diagnostic[];
}

/** Everything that was tried on a kernel. Frozen. */
export interface Mutation {
  readonly mutants: readonly Mutant[];
  readonly rejected: readonly RejectedMutant[];
  /** Ids of those that do what another mutant, or the kernel itself, does. */
  readonly repeated: readonly string[];
}
