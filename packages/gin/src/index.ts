export { gin } from './gin.ts';
export type { GinBarrierOptions, GinBarrierSession, GinFence, GinModule } from './gin-module.ts';
export { context, ginType } from './context.ts';
export type { Gin, GinSharing } from './gin-context.ts';
export { barrier } from './barrier/gin-barrier.ts';
export { barrierSession } from './barrier/gin-barrier-session.ts';
export { fenceParam } from './barrier/gin-fence.ts';
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
export type { LocalAction, RemoteAction } from './remote-action.ts';
export type { GinParts } from './impl/gin-struct.ts';
export { ginRequest } from './gin-request.ts';
export type { GinRequest } from './gin-request.ts';
export type { PutOptions, PutRequest, ReadOptions, TimedReadOptions, RequestOptions, Segment } from './options.ts';
