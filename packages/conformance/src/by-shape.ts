import type { WorldShape } from './world-shape.ts';

/** Cases that run in worlds of one shape, which may be one world. */
export interface CasesOfShape<Case extends WorldShape> {
  readonly shape: WorldShape;
  readonly cases: readonly Case[];
}

/** The cases by the shapes of their worlds. */
export function byShape<Case extends WorldShape>(cases: readonly Case[]): readonly CasesOfShape<Case>[] {
  const shapes = new Map<string, Case[]>();
  for (const one of cases) {
    const name = `${one.ranks}/${one.lsaSize}`;
    shapes.set(name, [...(shapes.get(name) ?? []), one]);
  }
  return [...shapes.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ shape: { ranks: first.ranks, lsaSize: first.lsaSize }, cases: group }];
  });
}
