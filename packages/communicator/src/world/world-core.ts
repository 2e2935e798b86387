import type { ApiRuntime, ResourceSupport } from '@nccl-ts/devcomm';
import type { Backend, BackendWorld } from '@nccl-ts/transport';
import type { Executables } from './executables.ts';
import type { HostStates } from './host-states.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { WorkPreparation } from './work-preparation.ts';

/** The state that the communicators of one world share. */
export interface WorldCore {
  readonly backend: Backend;
  readonly device: BackendWorld;
  readonly support: ResourceSupport;
  /** True if hosts have logical endpoints from the start. */
  readonly hostEndpoints: boolean;
  /** The API versions with which those of kernels and requirements are compared. */
  readonly api: ApiRuntime;
  readonly lifecycle: Lifecycle;
  readonly states: HostStates;
  readonly executables: Executables;
  readonly work: WorkPreparation;
}
