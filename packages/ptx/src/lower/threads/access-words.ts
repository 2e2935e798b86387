import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import type { AtomicAccess } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { orderOf, scopeOf } from '../instruction-parts.ts';

/** State spaces of memory that threads share. */
export const sharedSpaceWords: readonly string[] = Object.freeze([
  'global',
  'shared',
  'shared::cta',
  'shared::cluster',
]);

/** How an instruction orders, with what holds where it says nothing. */
export function accessOf(
  instruction: PtxInstruction,
  order: MemoryOrder = 'relaxed',
  scope: MemoryScope = 'device',
): AtomicAccess {
  return { order: orderOf(instruction) ?? order, scope: scopeOf(instruction) ?? scope };
}
