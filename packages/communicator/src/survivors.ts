import { Collective } from './collective.ts';
import { derived } from './derived.ts';
import type { RankState } from './rank-state.ts';
import { Rendezvous, type RankStates } from './rendezvous.ts';

/** The remaining ranks of a `shrink`, and their rendezvous. */
export class Survivors {
  readonly rendezvous: Rendezvous;
  readonly collective: Collective<RankState, ReadonlyMap<RankState, RankState>>;

  constructor(ranks: readonly number[], states: RankStates) {
    this.rendezvous = new Rendezvous(ranks, states);
    this.collective = new Collective('shrink', async (owners) => derived([owners]));
  }
}
