import type { AccessScope } from '@nccl-ts/core';
import { randomOf, type Random } from './random-draft.ts';
import { randomProgram } from './random-program.ts';
import { smallProgram, type Operation, type SmallProgram, type Strong } from './small-program.ts';

/** How often a scope becomes that of the cluster. */
const often: Readonly<Record<AccessScope, number>> = { thread: 0, block: 0.2, cluster: 1, device: 0.7, system: 0.3 };

/** The random program of a seed, with some of its CTAs in clusters, and scopes of these. */
export function randomInClusters(seed: number): SmallProgram {
  const random = randomOf(seed ^ 0x2545f491);
  const { agents } = randomProgram(seed);
  const clusters = new Map<string, number | undefined>();
  const clusterOf = (rank: number, cta: number): number | undefined => {
    const key = `${rank}.${cta}`;
    if (!clusters.has(key)) clusters.set(key, random.chance(0.8) ? 0 : random.pick([1, undefined]));
    return clusters.get(key);
  };
  return smallProgram(
    `seed ${seed} in clusters`,
    agents.map(({ place, operations }) => {
      const cluster = clusterOf(place.rank, place.cta);
      return {
        place: { ...place, ...(cluster === undefined ? {} : { cluster }) },
        operations: operations.map((operation) => scoped(operation, random)),
      };
    }),
  );
}

function scoped(operation: Operation, random: Random): Operation {
  const narrowed = <O extends Strong>(ordering: O): O =>
    random.chance(often[ordering.scope]) ? { ...ordering, scope: 'cluster' } : ordering;
  switch (operation.kind) {
    case 'load':
    case 'wait':
      return operation.ordering === 'weak' ? operation : { ...operation, ordering: narrowed(operation.ordering) };
    case 'store':
      return operation.ordering === 'weak' ? operation : { ...operation, ordering: narrowed(operation.ordering) };
    case 'rmw':
      return { ...operation, ordering: narrowed(operation.ordering) };
    case 'fence':
      return { ...operation, ordering: narrowed(operation.ordering) };
    case 'if':
      return { ...operation, body: operation.body.map((one) => scoped(one, random)) };
    case 'barrier':
      return operation;
  }
}
