import { shapeName, type WorldShape } from './world-shape.ts';

/** Cases that run in worlds of one shape. They may share a world. */
export interface CasesOfShape<Case extends WorldShape> {
  readonly shape: WorldShape;
  readonly cases: readonly Case[];
}

/** The cases by the shapes of their worlds. */
export function byShape<Case extends WorldShape>(cases: readonly Case[]): readonly CasesOfShape<Case>[] {
  const shapes = new Map<string, { readonly shape: WorldShape; readonly cases: Case[] }>();
  for (const one of cases) {
    const { ranks, lsaSize } = one;
    const name = shapeName(one);
    const group = shapes.get(name) ?? { shape: { ranks, lsaSize }, cases: [] };
    shapes.set(name, group);
    group.cases.push(one);
  }
  return [...shapes.values()];
}
