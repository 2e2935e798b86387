import type { Communicator, World } from '@nccl-ts/communicator';
import type { Capabilities } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import type { Requirements } from './requirements.ts';
import type { WorldShape } from './world-shape.ts';

/**
 * The ranks of a case's barriers: the whole load-store domain, or with `inner` its halves from
 * `teamInnerFactor`, each a team with its own barriers.
 */
export type TeamChoice = 'lsa' | 'inner';

/** The environment of a case: its own world, opened for one shape. The case need not close it. */
export interface CaseContext {
  readonly world: World;
  readonly shape: WorldShape;
  readonly capabilities: Capabilities;
  readonly team: TeamChoice;
  /** `world.run`, which the runner ends if the case takes too long. */
  readonly run: <T>(program: (comm: Communicator) => Promise<T>) => Promise<T[]>;
}

/**
 * - `exact`: the same bits everywhere, except that any NaN equals any NaN.
 * - `bounded`: within the error bounds of `math.*`.
 * - `order`: dependent on which thread or rank came first.
 */
export type CaseResults = 'exact' | 'bounded' | 'order';

/**
 * A test that every backend must pass. Frozen.
 *
 * @see defineCase
 */
export interface Case<Id extends string = string> {
  /** `theme/subject` or `theme/subject/detail`. An id is never reused for another meaning. */
  readonly id: Id;
  /** The counterpart of the tested feature: an NCCL symbol, or a part of the kernel language. */
  readonly mirrors: string;
  readonly requires: Requirements;
  readonly shapes: readonly WorldShape[];
  /** Every kernel that it launches. */
  readonly kernels: readonly Kernel[];
  /** True if it can also run over sub-teams. `context.team` says which. */
  readonly derivesTeam: boolean;
  /** How the bytes that it reads compare between two correct backends. */
  readonly results: CaseResults;
  /** Resolves if the backend is right, and throws its error otherwise. */
  readonly run: (context: CaseContext) => Promise<void>;
}
