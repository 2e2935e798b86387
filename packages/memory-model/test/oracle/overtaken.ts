import { scopeWidth } from '../../src/index.ts';
import type { Candidate } from './candidate.ts';
import { relationOf, type Relation } from './relation.ts';

/**
 * Relates strong accesses to the strong writes that overtake them: later writes to the same
 * location, of no wider scope. An access that such a write precedes does not race with the first
 * access, because coherence orders all three.
 */
export function overtaken({ events, poLoc, rmw }: Candidate, cause: Relation): Relation {
  return relationOf(events.length, (from, to) => {
    const { [from]: first, [to]: second } = events;
    if (first?.scope === undefined || second?.scope === undefined || first.location !== second.location) return false;
    if (second.kind !== 'write' || scopeWidth(first.scope) < scopeWidth(second.scope)) return false;
    return poLoc.has(from, to) || rmw.has(from, to) || cause.has(from, to);
  }).closure();
}
