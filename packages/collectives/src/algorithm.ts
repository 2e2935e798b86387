import type { CollectiveName } from './collective.ts';

/**
 * How a collective is done.
 *
 * - `direct`: every element goes by one load or store from where it is to where it is wanted, between two barriers.
 * - `twoShot`: the ranks share the elements out, each reduces its share and stores the result to all; two barriers.
 * - `oneShot`: every rank loads everything and reduces for itself; two barriers.
 * - `chunked`: as `twoShot`, chunk by chunk, and every rank stores what another is to reduce to that one; one barrier for a chunk.
 * - `ll`: every rank sends all that another needs with flags beside the data, and who receives reduces for itself; no barrier.
 * - `sentinel`: the same for floats of 16 and 32 bits, 16 bytes at a time and without flags: a NaN marks what has not come.
 * - `ring`: parts go from rank to rank in a ring, reduced on the way.
 * - `hierarchical`: by loads and stores within each load-store domain, through the network between ranks at the same place in
 *   their domains. Where there are several domains, it is what there is.
 */
export const algorithmNames = [
  'direct',
  'twoShot',
  'oneShot',
  'chunked',
  'll',
  'sentinel',
  'ring',
  'hierarchical',
] as const;
export type Algorithm = (typeof algorithmNames)[number];

/** The algorithms that each collective has. */
export const algorithmsOf: Readonly<Record<CollectiveName, readonly Algorithm[]>> = Object.freeze({
  allReduce: ['twoShot', 'oneShot', 'chunked', 'll', 'sentinel', 'ring', 'hierarchical'],
  broadcast: ['twoShot', 'ring', 'hierarchical'],
  reduce: ['twoShot', 'hierarchical'],
  allGather: ['direct', 'll', 'ring', 'hierarchical'],
  reduceScatter: ['direct', 'll', 'ring', 'hierarchical'],
  allToAll: ['direct', 'll', 'hierarchical'],
  gather: ['direct', 'hierarchical'],
  scatter: ['direct', 'hierarchical'],
});
