import type { CallStatement, Module, Statement } from '@nccl-ts/ir';
import type { EmitCudaOptions } from '../cuda-source.ts';
import type { CudaEmitContext } from './context.ts';
import { setting } from './declare.ts';
import { emitCftCall, isCftCall } from './native-cft.ts';
import { emitCftBarrierCall, isCftBarrierCall } from './native-cft-barrier.ts';
import { emitDependencyCall, isDependencyCall } from './grid-dependency.ts';
import { emitGinCall, isGinCall } from './native-gin.ts';
import { emitLLA2ACall, isLLA2ACall, nativeLLA2ASessions } from './native-ll-a2a.ts';
import { emitNativeSession, nativeSessions } from './native-lsa.ts';
import { emitMultimemCall, isMultimemCall } from './native-multimem.ts';
import { emitWindowCall, isWindowCall } from './native-windows.ts';

/**
 * Returns the statements that become calls of NCCL: those of sessions with an NCCL object, of the
 * network, the fabric and multicast memory, and window searches. The others run their portable
 * bodies.
 */
export function nativeCalls(module: Module, options: EmitCudaOptions): (statement: Statement) => boolean {
  const sessions = new Set([...nativeSessions(module, options), ...nativeLLA2ASessions(module, options)]);
  return (s) =>
    s.kind === 'call' &&
    (isDependencyCall(s) ||
      isGinCall(s) ||
      isCftCall(s) ||
      isCftBarrierCall(s) ||
      isMultimemCall(s) ||
      isWindowCall(s) ||
      (s.session !== undefined && sessions.has(s.session)));
}

/** Emits a call that `nativeCalls` lists. */
export function emitNativeCall(s: CallStatement, c: CudaEmitContext): void {
  if (isDependencyCall(s)) emitDependencyCall(s, c);
  else if (isGinCall(s)) emitGinCall(s, c);
  else if (isCftCall(s)) emitCftCall(s, c);
  else if (isCftBarrierCall(s)) emitCftBarrierCall(s, c);
  else if (isMultimemCall(s)) emitMultimemCall(s, c, s.local === undefined ? '' : setting(s.local, c));
  else if (isWindowCall(s)) emitWindowCall(s, c, s.local === undefined ? '' : setting(s.local, c));
  else if (s.session !== undefined && isLLA2ACall(s)) emitLLA2ACall(s, s.session, c);
  else if (s.session !== undefined) emitNativeSession(s, s.session, c);
}
