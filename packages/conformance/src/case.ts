import type { Communicator, World } from '@nccl-ts/communicator';
import type { Capabilities } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import type { Requirements } from './requirements.ts';
import type { WorldShape } from './world-shape.ts';

/**
 * Over which ranks a case's barriers go: the whole load-store domain, or `inner`: the halves of it
 * that `teamInnerFactor` gives, each a team with barriers of its own.
 */
export type TeamChoice = 'lsa' | 'inner';

/**
 * The surroundings of a case: a world of its own, opened for one shape, which the case need not
 * close.
 */
export interface CaseContext {
  readonly world: World;
  readonly shape: WorldShape;
  readonly capabilities: Capabilities;
  readonly team: TeamChoice;
  /** `world.run`, ended by the runner where the case takes too long. */
  readonly run: <T>(program: (comm: Communicator) => Promise<T>) => Promise<T[]>;
}

/**
 * - `exact`: the same everywhere, bit for bit (a NaN is a NaN);
 * - `bounded`: within what `math.*` promises;
 * - `order`: they depend on which thread or rank came first.
 */
export type CaseResults = 'exact' | 'bounded' | 'order';

/**
 * One thing that every backend must do. Frozen.
 *
 * @see defineCase
 */
export interface Case<Id extends string = string> {
  /** `theme/subject` or `theme/subject/detail`; never reused for another meaning. */
  readonly id: Id;
  /** The counterpart of the tested feature: an NCCL symbol, or a part of the kernel language. */
  readonly mirrors: string;
  readonly requires: Requirements;
  readonly shapes: readonly WorldShape[];
  /** Every kernel that it launches. */
  readonly kernels: readonly Kernel[];
  /** True if it can be run over sub-teams too: `context.team` says which. */
  readonly derivesTeam: boolean;
  /** The relation between the bytes that it reads on two correct backends. */
  readonly results: CaseResults;
  /** Resolves if the backend is right, and throws its error otherwise. */
  readonly run: (context: CaseContext) => Promise<void>;
}
