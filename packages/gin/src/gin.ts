import { deviceModule, type DeviceModule } from '@nccl-ts/kernel';
import {
  signalAdd,
  signalInc,
  strongSignalAdd,
  strongSignalInc,
  strongVASignalAdd,
  strongVASignalInc,
  vaSignalAdd,
  vaSignalInc,
  weakCounterInc,
  weakSignalAdd,
  weakSignalInc,
  weakVASignalAdd,
  weakVASignalInc,
} from './actions.ts';
import { context } from './context.ts';
import { barrier } from './barrier/gin-barrier.ts';
import { barrierSession } from './barrier/gin-barrier-session.ts';
import type { GinModule } from './gin-module.ts';

/** Put, get and signal over the network, with or without NVLink to the peer: `use: { gin }`. */
export const gin: DeviceModule<GinModule> = deviceModule('gin', {
  context,
  barrierSession,
  barrier,
  strongSignalInc,
  strongSignalAdd,
  weakSignalInc,
  weakSignalAdd,
  strongVASignalInc,
  strongVASignalAdd,
  weakVASignalInc,
  weakVASignalAdd,
  signalInc,
  signalAdd,
  vaSignalInc,
  vaSignalAdd,
  weakCounterInc,
  counterInc: weakCounterInc,
});
