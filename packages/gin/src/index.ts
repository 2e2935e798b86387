export { gin } from './gin.ts';
export type { GinModule } from './gin.ts';
export { context, ginType } from './gin-context.ts';
export type { Gin, GinSharing } from './gin-context.ts';
export { barrier } from './barrier/gin-barrier.ts';
export { barrierSession } from './barrier/gin-barrier-session.ts';
export type { GinBarrierOptions, GinBarrierSession } from './barrier/gin-barrier-session.ts';
export type { GinFence } from './barrier/gin-fence.ts';
export {
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
export type { LocalAction, RemoteAction } from './actions.ts';
export type { GinParts } from './impl/gin-struct.ts';
export { ginRequest } from './flush.ts';
export type { GinRequest } from './flush.ts';
export type { PutOptions, ReadOptions, TimedReadOptions, RequestOptions, Segment } from './options.ts';
