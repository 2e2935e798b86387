import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
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
import { barrier } from './barrier/gin-barrier.ts';
import { barrierSession } from './barrier/gin-barrier-session.ts';
import { context } from './gin-context.ts';

/** The members of `gin` in a kernel. */
export interface GinModule {
  readonly context: AuthorOf<typeof context>;
  readonly barrierSession: AuthorOf<typeof barrierSession>;
  readonly barrier: AuthorOf<typeof barrier>;
  readonly strongSignalInc: AuthorOf<typeof strongSignalInc>;
  readonly strongSignalAdd: AuthorOf<typeof strongSignalAdd>;
  readonly weakSignalInc: AuthorOf<typeof weakSignalInc>;
  readonly weakSignalAdd: AuthorOf<typeof weakSignalAdd>;
  readonly strongVASignalInc: AuthorOf<typeof strongVASignalInc>;
  readonly strongVASignalAdd: AuthorOf<typeof strongVASignalAdd>;
  readonly weakVASignalInc: AuthorOf<typeof weakVASignalInc>;
  readonly weakVASignalAdd: AuthorOf<typeof weakVASignalAdd>;
  readonly signalInc: AuthorOf<typeof signalInc>;
  readonly signalAdd: AuthorOf<typeof signalAdd>;
  readonly vaSignalInc: AuthorOf<typeof vaSignalInc>;
  readonly vaSignalAdd: AuthorOf<typeof vaSignalAdd>;
  readonly weakCounterInc: AuthorOf<typeof weakCounterInc>;
  /** @deprecated in NCCL's header: `weakCounterInc`. @see ncclGin_CounterInc */
  readonly counterInc: AuthorOf<typeof weakCounterInc>;
}

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
