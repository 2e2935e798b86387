import { algorithmsOf, collectiveNames } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { runCollectiveCase, type CollectiveCase } from '@nccl-ts/conformance';
import type { Subject } from '../subject.ts';

/** More than one line of 16 bytes for each rank, and a rest. */
const COUNT = 37;

function subjectOf(one: Omit<CollectiveCase, 'id'>): Subject {
  const { collective, algorithm, ranks, lsaSize } = one;
  return {
    name: `collectives/${collective}/${algorithm}`,
    shape: { ranks, lsaSize },
    run: async (backend) => {
      await using world = await World.open({ backend });
      return (await runCollectiveCase(world, { ...one, id: '' })) === undefined;
    },
  };
}

/** Every algorithm of every collective, out of place, twice in a row. */
export const collectiveSubjects: readonly Subject[] = collectiveNames.flatMap((collective) =>
  algorithmsOf[collective].map((algorithm) => {
    const reduces = collective === 'allReduce' || collective === 'reduce' || collective === 'reduceScatter';
    const shape = algorithm === 'hierarchical' ? { ranks: 4, lsaSize: 2 } : { ranks: 2, lsaSize: 2 };
    const op = reduces ? 'sum' : 'none';
    return subjectOf({ collective, algorithm, element: 'f32', op, inPlace: false, count: COUNT, offset: 0, ...shape });
  }),
);
