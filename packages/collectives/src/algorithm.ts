import type { AlgorithmFacts, AlgorithmSpec } from './algorithms/algorithm-spec.ts';
import { chunked } from './algorithms/chunked.ts';
import { direct } from './algorithms/direct.ts';
import { hierarchical } from './algorithms/hierarchical.ts';
import { ll } from './algorithms/ll.ts';
import { oneShot } from './algorithms/one-shot.ts';
import { ring } from './algorithms/ring.ts';
import { sentinel } from './algorithms/sentinel.ts';
import { twoShot } from './algorithms/two-shot.ts';
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
 * - `sentinel`: the same for floats of 16 and 32 bits, 16 bytes at a time and without flags: data
 *   that have not arrived are a NaN that data never contain.
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

/**
 * All that the package knows of each algorithm. A new one has a file in `algorithms`, and its name
 * and its line here.
 */
export const algorithmSpecs: Readonly<Record<Algorithm, AlgorithmSpec>> = /* @__PURE__ */ Object.freeze({
  direct,
  twoShot,
  oneShot,
  chunked,
  ll,
  sentinel,
  ring,
  hierarchical,
});

/** The abilities and needs of each algorithm. */
export const algorithmFacts: Readonly<Record<Algorithm, AlgorithmFacts>> = /* @__PURE__ */ Object.freeze({
  ...algorithmSpecs,
});

function algorithmsFor(collective: CollectiveName): readonly Algorithm[] {
  return Object.freeze(algorithmNames.filter((name) => algorithmSpecs[name].makers[collective] !== undefined));
}

/** The algorithms that each collective has. */
export const algorithmsOf: Readonly<Record<CollectiveName, readonly Algorithm[]>> = /* @__PURE__ */ Object.freeze({
  allReduce: algorithmsFor('allReduce'),
  broadcast: algorithmsFor('broadcast'),
  reduce: algorithmsFor('reduce'),
  allGather: algorithmsFor('allGather'),
  reduceScatter: algorithmsFor('reduceScatter'),
  allToAll: algorithmsFor('allToAll'),
  gather: algorithmsFor('gather'),
  scatter: algorithmsFor('scatter'),
});
