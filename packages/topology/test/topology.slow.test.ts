import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { teamRankIsMember, teamRankToTeam } from '@nccl-ts/topology';
import { members, seen, teamsOf } from './support/topology.ts';

describe('conversions between teams', () => {
  it('agree with the sets of world ranks', () => {
    fc.assert(
      fc.property(seen, (at) => {
        const teams = teamsOf(at);
        for (const a of teams) {
          const ranksOfA = members(at, a);
          for (const b of teams) {
            // -1 if the rank is not a member.
            const wanted = members(at, b).map((world) => ranksOfA.indexOf(world));
            const got = wanted.map((_, bPeer) => (teamRankIsMember(a, b, bPeer) ? teamRankToTeam(a, b, bPeer) : -1));
            expect(got).toEqual(wanted);
          }
        }
      }),
      { seed: 5, numRuns: 25 },
    );
  });
});
