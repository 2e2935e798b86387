import { World } from '@nccl-ts/communicator';
import { allCases, Mismatch, runCase, wrapAroundOn, type Case, type CaseId } from '@nccl-ts/conformance';
import type { SubjectForm, RankShape, Subject } from '../subject.ts';

/** Programs whose teams have every second rank. With fewer ranks each team would have one rank. */
const everySecond = 'barriers/sessions/strided-team';

/**
 * A case with random behaviour, which says little about a mutant. Its kernels are those of
 * `hybrid-barriers/timeout/rank-missing`.
 */
const byChance = 'hybrid-barriers/timeout/peer-missing';

/**
 * The shape that exercises most with the fewest ranks. It has at least two ranks, if the case has
 * such a shape. If the domain matters, it is neither one rank nor all of them. Otherwise it is as
 * large as possible.
 */
export function shapeOf({ id, shapes }: Case): RankShape | undefined {
  const several = shapes.filter(({ ranks }) => ranks > (id === everySecond ? 2 : 1));
  const divided = several.filter(({ ranks, lsaSize }) => lsaSize > 1 && lsaSize < ranks);
  const candidates = id.startsWith('hybrid-barriers/') && divided.length > 0 ? divided : several;
  const [first] = (candidates.length > 0 ? candidates : shapes).toSorted(
    (a, b) => a.ranks - b.ranks || b.lsaSize - a.lsaSize,
  );
  return first;
}

/**
 * From the second-last epoch to the first. One bank is cleared while the other is in use, and is
 * then filled again.
 */
const wrapAround: SubjectForm = {
  shape: { ranks: 2, lsaSize: 2 },
  run: async (backend) => {
    await using world = await World.open({ backend });
    const around = { team: 'lsa', ctas: 2, threads: 2, begin: 2 ** 32 - 2, epochs: 3, end: 3 } as const;
    try {
      await world.run(async (comm) => wrapAroundOn(comm, around));
      return true;
    } catch (error) {
      if (error instanceof Mismatch) return false;
      throw error;
    }
  },
};

/** Small forms of cases for which one run does not represent all. */
const tinyForms: Readonly<Partial<Record<CaseId, SubjectForm>>> = Object.freeze({
  'll-a2a/epochs/wrap-around': wrapAround,
});

/**
 * The cases of the conformance suite. Cases whose kernels have no synchronisation have no mutants.
 */
export const conformanceSubjects: readonly Subject[] = allCases.flatMap((one): readonly Subject[] => {
  const shape = shapeOf(one);
  if (shape === undefined || one.id === byChance) return [];
  const tiny = tinyForms[one.id];
  return [
    {
      ...(tiny === undefined ? {} : { tiny }),
      name: `conformance/${one.id}`,
      shape,
      run: async (backend) => {
        const { verdict, error } = await runCase({ case: one, shape, variant: 'plain' }, { backend: () => backend });
        if (verdict.verdict === 'pass') return true;
        throw error instanceof Error ? error : new Error(verdict.reason);
      },
    },
  ];
});
