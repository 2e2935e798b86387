import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import type { GinFence } from '@nccl-ts/gin';

/** The meaning of a number of the stand-in headers, if it has one. */
type Word<T> = (code: number) => T | undefined;

/** `cuda::memory_order`, whose `consume` is as strong as acquire. */
export const orderOf: Word<MemoryOrder> = (code) =>
  (['relaxed', 'acquire', 'acquire', 'release', 'acq_rel', 'seq_cst'] as const)[code];

/** `cuda::thread_scope`. */
export const scopeOf: Word<MemoryScope> = (code) =>
  code === 10 ? 'thread' : (['system', 'device', 'block'] as const)[code];

export const fenceOf: Word<GinFence> = (code) => (['none', 'put', 'get', 'putGet'] as const)[code];

/** The effect of a request at the peer, apart from moving bytes. */
export interface RemoteWords {
  readonly at: 'none' | 'id' | 'va';
  readonly modify: 'inc' | 'add';
  readonly strength: 'weak' | 'strong' | 'legacy';
}

export const nothingRemote: RemoteWords = Object.freeze({ at: 'none', modify: 'inc', strength: 'weak' });

/** The encoded effect: 0, or 1 + modify + 2 * strength + 6 * place. */
export function remoteOf(code: number): RemoteWords | undefined {
  if (code === 0) return nothingRemote;
  const at = (['id', 'va'] as const)[Math.floor((code - 1) / 6)];
  const strength = (['weak', 'strong', 'legacy'] as const)[Math.floor((code - 1) / 2) % 3];
  const modify = (['inc', 'add'] as const)[(code - 1) % 2];
  return at === undefined || strength === undefined || modify === undefined ? undefined : { at, modify, strength };
}
