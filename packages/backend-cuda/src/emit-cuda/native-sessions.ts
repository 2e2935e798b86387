import type { CallStatement, Module } from '@nccl-ts/ir';
import type { EmitCudaOptions } from '../cuda-source.ts';
import type { EmitContext } from './context.ts';
import { emitLLA2ACall, isLLA2ACall, nativeLLA2ASessions } from './native-ll-a2a.ts';
import { emitNativeSession, nativeSessions } from './native-lsa.ts';

/** The sessions that an object of NCCL's own stands for; the calls of the others run their portable bodies. */
export function allNativeSessions(module: Module, options: EmitCudaOptions): ReadonlySet<number> {
  return new Set([...nativeSessions(module, options), ...nativeLLA2ASessions(module, options)]);
}

/** A call of a session that NCCL's class stands for. */
export function emitSessionCall(s: CallStatement, session: number, c: EmitContext): void {
  if (isLLA2ACall(s)) emitLLA2ACall(s, session, c);
  else emitNativeSession(s, session, c);
}
