import type { WorldShape } from '../world-shape.ts';
import type { CollectiveCase } from './collective-case.ts';

/** Cases that run in worlds of one shape, which may be one world. */
export interface CasesOfShape {
  readonly shape: WorldShape;
  readonly cases: readonly CollectiveCase[];
}

/** The cases by the shapes of their worlds. */
export function byShape(cases: readonly CollectiveCase[]): readonly CasesOfShape[] {
  const shapes = new Map<string, CollectiveCase[]>();
  for (const one of cases) {
    const name = `${one.ranks}/${one.lsaSize}`;
    shapes.set(name, [...(shapes.get(name) ?? []), one]);
  }
  return [...shapes.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ shape: { ranks: first.ranks, lsaSize: first.lsaSize }, cases: group }];
  });
}
