import { everyCollectiveCase, pairwiseCollectiveCases, type CollectiveCase } from '@nccl-ts/conformance';

/** The cases: every combination of choices, or every pair of choices. */
export type CaseSet = 'product' | 'pairwise';

const sets: Readonly<Record<CaseSet, () => readonly CollectiveCase[]>> = Object.freeze({
  product: everyCollectiveCase,
  pairwise: pairwiseCollectiveCases,
});

/**
 * Groups cases with the same kernels, so that a thread compiles these once. The result is the same
 * in every thread.
 */
export function batchesOf(set: CaseSet, filter: string): readonly (readonly CollectiveCase[])[] {
  const batches = new Map<string, CollectiveCase[]>();
  for (const one of sets[set]()) {
    if (!one.id.includes(filter)) continue;
    const name = [one.collective, one.algorithm, one.element, one.op].join('/');
    const batch = batches.get(name);
    if (batch === undefined) batches.set(name, [one]);
    else batch.push(one);
  }
  return [...batches.values()];
}
