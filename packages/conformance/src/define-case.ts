import type { Kernel } from '@nccl-ts/kernel';
import type { Case, CaseContext, CaseResults } from './case.ts';
import type { Requirements } from './requirements.ts';
import type { WorldShape } from './world-shape.ts';

export interface CaseDefinition<Id extends string> {
  readonly id: Id;
  readonly mirrors: string;
  readonly requires?: Requirements;
  readonly ranks: readonly number[];
  /**
   * The sizes of load-store domains. Each is tried with every number of ranks that it divides.
   * @default all ranks in one domain
   */
  readonly lsaSizes?: readonly number[];
  readonly kernels: readonly Kernel[];
  /** @default false */
  readonly derivesTeam?: boolean;
  /** @default `exact` */
  readonly results?: CaseResults;
  readonly run: (context: CaseContext) => Promise<void>;
}

/**
 * Makes a case from its definition.
 *
 * @throws TypeError if it has no shape to run in, because no size of a domain divides any number of
 * ranks.
 */
export function defineCase<const Id extends string>(definition: CaseDefinition<Id>): Case<Id> {
  const {
    id,
    mirrors,
    requires = {},
    ranks,
    lsaSizes,
    kernels,
    derivesTeam = false,
    results = 'exact',
    run,
  } = definition;
  const shapes = ranks.flatMap((count): readonly WorldShape[] => {
    const sizes = lsaSizes === undefined ? [count] : lsaSizes.filter((size) => size <= count && count % size === 0);
    return sizes.map((lsaSize) => Object.freeze({ ranks: count, lsaSize }));
  });
  if (shapes.length === 0)
    throw new TypeError(`Case ${id} has no shape to run in: its number of ranks is ${ranks.join(', ')}.`);
  return Object.freeze({
    id,
    mirrors,
    requires: Object.freeze({ ...requires }),
    shapes: Object.freeze(shapes),
    kernels: Object.freeze([...kernels]),
    derivesTeam,
    results,
    run,
  });
}
