import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { DevCommHandle } from '@nccl-ts/transport';
import type { Collective, Place } from './collective.ts';
import { createDevCommCollective } from './dev-comm.ts';
import type { Shared } from './shared.ts';
import {
  allocWindowCollective,
  registerWindowCollective,
  type AllocWindowRequest,
  type RegisterWindowRequest,
  type Registration,
} from './window-registration.ts';

/** The collective calls of one world. */
export interface Collectives {
  readonly allocWindow: Collective<AllocWindowRequest, Registration>;
  readonly registerWindow: Collective<RegisterWindowRequest, Registration>;
  readonly createDevComm: Collective<DevCommPlan, Shared<DevCommHandle>>;
}

export function worldCollectives(place: Place): Collectives {
  return {
    allocWindow: allocWindowCollective(place),
    registerWindow: registerWindowCollective(place),
    createDevComm: createDevCommCollective(place),
  };
}
