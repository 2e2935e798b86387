import { NcclError } from '@nccl-ts/core';
import type { LocalId } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { cppType } from './cpp-type.ts';

/** Returns `T x = ` if the local is declared here, and otherwise `x = `. */
export function setting(id: LocalId, c: CudaEmitContext): string {
  const local = c.module.locals[id];
  const name = c.locals[id];
  if (local === undefined || name === undefined)
    throw new NcclError('NCCL_INTERNAL_ERROR', 'A statement assigns something that the module does not declare.');
  if (!c.inline.has(id)) return `${name} = `;
  const type = cppType(local.type);
  // The pointer is constant, but not its target.
  return type.endsWith('*') ? `${type} const ${name} = ` : `const ${type} ${name} = `;
}
