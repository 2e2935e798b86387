import type { AddressSpace } from '@nccl-ts/ir';

import { i32, op, type WasmCode } from './instruction.ts';
import type { WasmScope } from './scope.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';

/**
 * Returns the distance from an address of `space` to its memory. Shared and local arrays are in the
 * frame meanwhile.
 */
export function spaceBase(space: AddressSpace, { context, region }: WasmScope): WasmCode {
  if (space === 'global') return [];
  const bytes = space === 'shared' ? context.arrays.bytes.shared : context.arrays.bytes.local * context.threads;
  const offset = region.arrays(space, bytes);
  if (offset === undefined) throw new Unsupported(`${bytes} bytes of ${space} arrays`);
  return [...region.frame, op('i32.add'), i32(offset), op('i32.add')];
}
