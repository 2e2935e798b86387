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
 * How a collective is done.
 *
 * - `direct`: every element goes by one load or store from where it is to where it is wanted, between two barriers.
 * - `twoShot`: the ranks share the elements out, each reduces its share and stores the result to all; two barriers.
 * - `oneShot`: every rank loads everything and reduces for itself; two barriers.
 * - `chunked`: as `twoShot`, chunk by chunk, and every rank stores what another is to reduce to that one; one barrier for a chunk.
 * - `ll`: every rank sends all that another needs with flags beside the data, and who receives reduces for itself; no barrier.
 * - `sentinel`: the same for floats of 16 and 32 bits, without flags: what has not come is a NaN that no data are.
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

/** All that the package knows of each algorithm. A new one has a file in `algorithms`, and its name and its line here. */
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

/** What each algorithm can do, and what it needs. */
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
