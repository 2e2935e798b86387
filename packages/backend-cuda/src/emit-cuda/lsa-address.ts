import type { Expression } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { cppType } from './cpp-type.ts';
import { emitExpression } from './emit-expression.ts';

/**
 * The address of a window's byte at an LSA peer.
 *
 * NCCL stores two words of a window in memory: the location of peer 0's copy, and the distance from
 * one copy to the next. If the window is the same in the whole launch, the kernel reads both once,
 * at its head. Otherwise the compiler reads them again after each access that it must not move,
 * such as an atomic one. The head also computes the address of a copy that is the same in the whole
 * launch. Registered windows never change, so the head may read them before the kernel waits for
 * the previous launch.
 */
export function lsaAddress(
  window: Expression,
  offset: Expression,
  peer: Expression,
  type: Expression['type'],
  c: CudaEmitContext,
): string {
  c.ncclIncludes.add('nccl_device/impl/core__funcs.h');
  const [of, at, to] = [window, offset, peer].map((part) => emitExpression(part, c));
  if (!isOfLaunch(window)) return `static_cast<${cppType(type)}>(ncclGetLsaPointer(${of}, ${at}, ${to}))`;
  if (isOfLaunch(peer)) {
    const copy = c.constant(`${of}_at`, 'char* const', `static_cast<char*>(ncclGetLsaPointer(${of}, 0, ${to}))`);
    return `reinterpret_cast<${cppType(type)}>(${copy} + ${at})`;
  }
  const base = c.constant(`${of}_base`, 'char* const', `static_cast<char*>(ncclGetLsaPointer(${of}, 0, 0))`);
  const next = `static_cast<char*>(ncclGetLsaPointer(${of}, 0, 1))`;
  const step = c.constant(`${of}_step`, 'const unsigned long long', `(unsigned long long)(${next} - ${base})`);
  return `reinterpret_cast<${cppType(type)}>(${base} + (${step} * ${to} + ${at}))`;
}

/** Returns the address of a byte of a window's own copy, as `lsaAddress` does for a peer's. */
export function localAddress(
  window: Expression,
  offset: Expression,
  type: Expression['type'],
  c: CudaEmitContext,
): string {
  c.ncclIncludes.add('nccl_device/impl/core__funcs.h');
  const [of, at] = [window, offset].map((part) => emitExpression(part, c));
  if (!isOfLaunch(window)) return `static_cast<${cppType(type)}>(ncclGetLocalPointer(${of}, ${at}))`;
  const own = c.constant(`${of}_own`, 'char* const', `static_cast<char*>(ncclGetLocalPointer(${of}, 0))`);
  return `reinterpret_cast<${cppType(type)}>(${own} + ${at})`;
}

/** True if an expression is a parameter of the kernel or a field of one. */
function isOfLaunch(e: Expression): boolean {
  return e.kind === 'param' || (e.kind === 'field' && e.base.kind === 'param');
}
