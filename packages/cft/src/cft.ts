import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
import { barrierSession } from './barrier-session.ts';
import { leInfo, multimemLeInfo, peerLeInfo } from './endpoints.ts';
import { memFence } from './mem-fence.ts';
import { resourceLeInfo, resourceMultimemLeInfo, resourcePeerLeInfo } from './resource-endpoints.ts';
import { session } from './session.ts';
import { team, teamMultimem } from './teams.ts';

/** The members of `cft` in a kernel. */
export interface Cft {
  readonly team: AuthorOf<typeof team>;
  readonly teamMultimem: AuthorOf<typeof teamMultimem>;
  readonly leInfo: AuthorOf<typeof leInfo>;
  readonly peerLeInfo: AuthorOf<typeof peerLeInfo>;
  readonly multimemLeInfo: AuthorOf<typeof multimemLeInfo>;
  readonly resourceLeInfo: AuthorOf<typeof resourceLeInfo>;
  readonly resourcePeerLeInfo: AuthorOf<typeof resourcePeerLeInfo>;
  readonly resourceMultimemLeInfo: AuthorOf<typeof resourceMultimemLeInfo>;
  readonly session: AuthorOf<typeof session>;
  readonly memFence: AuthorOf<typeof memFence>;
  readonly barrierSession: AuthorOf<typeof barrierSession>;
}

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
