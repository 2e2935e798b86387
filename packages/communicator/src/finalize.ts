import { Collective } from './collective.ts';
import type { RankState } from './rank-state.ts';

/** Waits until no rank has anything under way: see `Communicator.finalize`. */
export async function finalize(owner: RankState): Promise<void> {
  const what = 'finalize';
  owner.checkActive(what);
  await owner.drain(what);
  const { collectives, rendezvous } = owner.group;
  await rendezvous.meet(owner.rank, collectives.finalize, {}, owner);
}

export function finalizeCollective(): Collective<RankState, void> {
  return new Collective('finalize', async (owners) => {
    for (const owner of owners) owner.finish();
  });
}
