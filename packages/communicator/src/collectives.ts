import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { DevCommHandle } from '@nccl-ts/transport';
import type { Collective, Place } from './collective.ts';
import { createDevCommCollective } from './dev-comm.ts';
import { finalizeCollective, restCollective } from './finalize.ts';
import type { RankState } from './rank-state.ts';
import type { Shared } from './shared.ts';
import { splitCollective, type SplitRequest } from './split.ts';
import {
  allocWindowCollective,
  registerWindowCollective,
  type AllocWindowRequest,
  type RegisterWindowRequest,
  type Registration,
} from './window-registration.ts';

/** The collective calls of one communicator. */
export interface Collectives {
  readonly allocWindow: Collective<AllocWindowRequest, Registration>;
  readonly registerWindow: Collective<RegisterWindowRequest, Registration>;
  readonly createDevComm: Collective<DevCommPlan, Shared<DevCommHandle>>;
  readonly split: Collective<SplitRequest, ReadonlyMap<RankState, RankState>>;
  readonly rest: Collective<RankState, void>;
  readonly finalize: Collective<RankState, void>;
}

export function groupCollectives(place: Place): Collectives {
  return {
    allocWindow: allocWindowCollective(place),
    registerWindow: registerWindowCollective(place),
    createDevComm: createDevCommCollective(place),
    split: splitCollective(),
    rest: restCollective(),
    finalize: finalizeCollective(),
  };
}
