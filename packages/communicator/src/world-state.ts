import type { ApiRuntime, ResourceSupport } from '@nccl-ts/devcomm';
import type { Backend, BackendWorld } from '@nccl-ts/transport';
import type { Executables } from './executables.ts';
import type { Group } from './group.ts';
import type { HostStates } from './host-states.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { RankState } from './rank-state.ts';

/** The state that the communicators of one world share. */
export interface WorldState {
  readonly backend: Backend;
  readonly device: BackendWorld;
  readonly support: ResourceSupport;
  /** Against which versions of kernels and requirements are checked. */
  readonly api: ApiRuntime;
  readonly lifecycle: Lifecycle;
  readonly states: HostStates;
  readonly executables: Executables;
  /** The group of all ranks, and those that were made of it and are not over. */
  readonly groups: Set<Group>;
  /**
   * The open communicators of this process, of all groups, in the order in which they were made.
   */
  readonly communicators: Set<RankState>;
  /**
   * Makes a communicator of the ranks in each of the lists, in the order of the list; returns the
   * communicator of each.
   */
  readonly derive: (lists: readonly (readonly RankState[])[]) => Promise<ReadonlyMap<RankState, RankState>>;
}
