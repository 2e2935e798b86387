import { Collective } from './collective.ts';
import type { RankState } from './rank-state.ts';

/** Waits until no rank has pending work: see `Communicator.finalize`. */
export async function finalize(owner: RankState): Promise<void> {
  const what = 'finalize';
  owner.checkActive(what);
  const { collectives, rendezvous } = owner.group;
  // A kernel that waits for a launch that is no longer possible must not be waited for.
  await rendezvous.meet(owner.rank, collectives.rest, {}, owner);
  await owner.drain(what);
  await rendezvous.meet(owner.rank, collectives.finalize, {}, owner);
}

/** The collective call of the ranks that have made all their launches. */
export function restCollective(): Collective<RankState, void> {
  return new Collective('finalize', async ([first]) => {
    const unending = first?.group.companions.atRest();
    if (unending !== undefined) throw unending;
  });
}

/** The collective call of the ranks whose launches have ended. */
export function finalizeCollective(): Collective<RankState, void> {
  return new Collective('finalize', async (owners) => {
    for (const owner of owners) owner.finish();
    const undone = owners[0]?.group.companions.atEnd();
    if (undone !== undefined) throw undone;
  });
}
