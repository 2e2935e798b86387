import { deviceModule, type DeviceModule } from '@nccl-ts/kernel';
import { barrierSession } from './barrier-session.ts';
import { leInfo, multimemLeInfo, peerLeInfo } from './endpoints.ts';
import { memFence } from './mem-fence.ts';
import { resourceLeInfo, resourceMultimemLeInfo, resourcePeerLeInfo } from './resource-endpoints.ts';
import { session } from './session.ts';
import { team, teamMultimem } from './teams.ts';
import type { Cft } from './cft-module.ts';

/** The compute fabric transport: `use: { cft }`. */
export const cft: DeviceModule<Cft> = deviceModule('cft', {
  team,
  teamMultimem,
  leInfo,
  peerLeInfo,
  multimemLeInfo,
  resourceLeInfo,
  resourcePeerLeInfo,
  resourceMultimemLeInfo,
  session,
  memFence,
  barrierSession,
});
