import { collectiveNames, recordOf, type CollectiveName } from '@nccl-ts/core';
import type { AlgorithmFacts, AlgorithmSpec } from './algorithm-spec.ts';
import { chunked } from './chunked.ts';
import { direct } from './direct.ts';
import { hierarchical } from './hierarchical.ts';
import { ll } from './ll.ts';
import { ll128 } from './ll128.ts';
import { oneShot } from './one-shot.ts';
import { ring } from './ring.ts';
import { sentinel } from './sentinel.ts';
import { twoShot } from './two-shot.ts';

/**
 * The algorithm of a collective.
 *
 * - `direct`: one load or store moves every element from its source to its destination, between two
 *   barriers.
 * - `twoShot`: each rank reduces its share of the elements and stores the result to all, between
 *   two barriers.
 * - `oneShot`: every rank loads all elements and reduces them itself, between two barriers.
 * - `chunked`: like `twoShot`, but chunk by chunk, and every rank stores its elements to the rank
 *   that reduces them. It takes one barrier for each chunk.
 * - `ll`: every rank sends each value with a flag, and the receiver reduces the values itself. It
 *   needs no barrier.
 * - `ll128`: like `ll`, with one flag in each line of 128 bytes. It relies on lines that arrive
 *   whole, as NVLink delivers them. No memory model promises that.
 * - `sentinel`: like `ll`, for floats of 16 and 32 bits, 16 bytes at a time and without flags. A
 *   reserved NaN marks data that has not arrived.
 * - `ring`: parts travel around a ring of ranks, and each rank reduces them.
 * - `hierarchical`: loads and stores within each load-store domain, and the network between ranks
 *   with the same LSA rank. It is the only algorithm for several domains.
 */
export const algorithmNames = [
  'direct',
  'twoShot',
  'oneShot',
  'chunked',
  'll',
  'll128',
  'sentinel',
  'ring',
  'hierarchical',
] as const;
export type Algorithm = (typeof algorithmNames)[number];

/**
 * The specification of each algorithm. To add one, write a file in `algorithms` and add its name
 * and its line here.
 */
export const algorithmSpecs: Readonly<Record<Algorithm, AlgorithmSpec>> = /* @__PURE__ */ Object.freeze({
  direct,
  twoShot,
  oneShot,
  chunked,
  ll,
  ll128,
  sentinel,
  ring,
  hierarchical,
});

/** The capabilities and requirements of each algorithm. */
export const algorithmFacts: Readonly<Record<Algorithm, AlgorithmFacts>> = /* @__PURE__ */ Object.freeze({
  ...algorithmSpecs,
});

/** The algorithms of each collective. */
export const algorithmsOf: Readonly<Record<CollectiveName, readonly Algorithm[]>> = /* @__PURE__ */ recordOf(
  collectiveNames,
  (collective) => Object.freeze(algorithmNames.filter((name) => algorithmSpecs[name].makers[collective] !== undefined)),
);
