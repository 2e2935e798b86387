import { Collective, CollectiveKind, type CollectiveContext } from '../rendezvous/collective.ts';
import type { RankState } from './rank-state.ts';

/** Waits until no rank has pending work: see `Communicator.finalize`. */
export async function finalize(owner: RankState): Promise<void> {
  const what = 'finalize';
  owner.checkActive(what);
  const { collectiveContext: context, rendezvous } = owner.group;
  // Skips operations that wait for a launch that no rank can make any longer.
  await rendezvous.meet(owner.rank, rests.at(context), {}, owner);
  await owner.drain(what);
  await rendezvous.meet(owner.rank, ends.at(context), {}, owner);
}

/** The rendezvous of the ranks that have made all their launches. */
const rests = /* @__PURE__ */ new CollectiveKind<CollectiveContext, RankState, void>(
  () =>
    new Collective('finalize', async ([first]) => {
      const unending = first?.group.companions.atRest();
      if (unending !== undefined) throw unending;
    }),
);

/** The rendezvous of the ranks whose launches have ended. */
const ends = /* @__PURE__ */ new CollectiveKind<CollectiveContext, RankState, void>(
  () =>
    new Collective('finalize', async (owners) => {
      for (const owner of owners) owner.finish();
      const undone = owners[0]?.group.companions.atEnd();
      if (undone !== undefined) throw undone;
    }),
);
