import { WARP_SIZE } from '@nccl-ts/core';
import type { Mutant } from '@nccl-ts/mutation';
import type { Equivalence } from './outcome.ts';
import type { ListedMutant } from './listing.ts';

/**
 * Maps each mutation to a stronger one at the same position. If the stronger one is harmless, so is
 * the weaker one.
 */
const stronger: Readonly<Partial<Record<Mutant['operator'], readonly Mutant['operator'][]>>> = Object.freeze({
  'sync-narrowed': ['sync-removed'],
  'scope-narrowed': ['fence-removed', 'access-plain'],
  'order-weakened': ['fence-removed', 'access-plain'],
  'wait-one-less': ['wait-removed'],
});

/** The reason why a mutant is no worse than its kernel, if that is evident without a run. */
export function evidentEquivalence({ operator, id }: ListedMutant, blockThreads: number): Equivalence | undefined {
  if (operator === 'order-weakened' && isFence(id) && !id.endsWith(':acq_rel')) return { kind: 'same fence' };
  if (operator === 'sync-narrowed' && blockThreads <= WARP_SIZE) return { kind: 'one warp' };
  return undefined;
}

/** True if the reason was found without a run. */
export function isEvident({ kind }: Equivalence): boolean {
  return kind === 'same fence' || kind === 'one warp';
}

/** The mutants of `all` that make the change of `mutant` at the same location, and more. */
export function strongerThan<M extends ListedMutant>({ operator, id }: ListedMutant, all: readonly M[]): readonly M[] {
  const place = id.slice(0, id.indexOf(':'));
  return all.filter(
    (other) => other.id.startsWith(`${place}:`) && stronger[operator]?.includes(other.operator) === true,
  );
}

function isFence(id: string): boolean {
  return /(?:^|\/)fence#\d+:/.test(id);
}
