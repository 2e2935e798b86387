import { allCases, runCase, type Case } from '@nccl-ts/conformance';
import type { Shape, Subject } from '../subject.ts';

/**
 * The shape in which most happens with the fewest ranks: two at least; and a domain that is neither one rank nor all, where
 * the case has one, else as large as it gets.
 */
export function shapeOf(one: Case): Shape | undefined {
  const several = one.shapes.filter(({ ranks }) => ranks > 1);
  const ranks = Math.min(...several.map((shape) => shape.ranks));
  const fewest = several.filter((shape) => shape.ranks === ranks).toSorted((a, b) => b.lsaSize - a.lsaSize);
  const divided = several.filter(({ ranks: all, lsaSize }) => lsaSize > 1 && lsaSize < all);
  const usesBoth = one.id.startsWith('hybrid-barriers/');
  return (usesBoth ? divided.toSorted((a, b) => a.ranks - b.ranks)[0] : undefined) ?? fewest[0];
}

/** The cases of the conformance suite that run on several ranks; those without a synchronisation have no mutants. */
export const conformanceSubjects: readonly Subject[] = allCases.flatMap((one): readonly Subject[] => {
  const shape = shapeOf(one);
  if (shape === undefined) return [];
  return [
    {
      name: `conformance/${one.id}`,
      shape,
      run: async (backend) => {
        const { verdict, error } = await runCase({ case: one, shape, variant: 'plain' }, { backend: () => backend });
        if (verdict.verdict === 'pass') return true;
        throw error ?? new Error(verdict.reason);
      },
    },
  ];
});
