import type { CollectiveName } from './collective.ts';

/**
 * The way in which a collective is done.
 *
 * - `direct`: one load or store moves every element from its source to its destination, between two
 *   barriers.
 * - `twoShot`: each rank reduces its share of the elements and stores the result to all; two
 *   barriers.
 * - `oneShot`: every rank loads all elements and reduces them itself; two barriers.
 * - `chunked`: as `twoShot`, chunk by chunk, but every rank stores its elements to the rank that
 *   reduces them; one barrier for each chunk.
 * - `ll`: every rank sends its elements with flags beside the data, and the receiver reduces them
 *   itself; no barrier.
 * - `sentinel`: the same for floats of 16 and 32 bits, without flags: an element that has not
 *   arrived is a NaN that data never contain.
 * - `ring`: parts go from rank to rank in a ring and are reduced at each.
 * - `hierarchical`: by loads and stores within each load-store domain, through the network between
 *   ranks with the same LSA rank. With several domains, it is the only algorithm.
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
