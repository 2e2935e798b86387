import { placeName, type SourcePlace } from '../kernel-text.ts';
import type { Finding, FindingKind, FindingLabel } from './finding.ts';

/**
 * What tells two findings of a kind apart: the two places, whichever was noticed first; the places in order; or the places
 * and the message, where one statement may break several rules.
 */
const toldBy: Readonly<Record<FindingKind, 'pair' | 'places' | 'places and message'>> = {
  race: 'pair',
  proxy: 'pair',
  uninitialised: 'places',
  'out-of-bounds': 'places',
  misuse: 'places and message',
  fault: 'places',
  deadlock: 'places',
  leftover: 'places and message',
  incomplete: 'places and message',
};

/**
 * What two sightings of one finding have in common: the kind, and what happened at which places. Ranks, CTAs, threads,
 * bytes, the launch and the schedule may differ. Findings that name no place at all have the message in common.
 */
export function findingKey(finding: Finding): string {
  const { kind, labels, message, deadlock, fault } = finding;
  const parts = labels.map(labelKey);
  if (toldBy[kind] === 'pair') parts.sort();
  const waiting = (deadlock?.waiting ?? []).map((group) => `${group.kernel} ${group.kind} ${placeKey(group.place)}`);
  const failed = fault === undefined ? '' : `${fault.kernel} ${fault.kind} ${placeKey(fault.place)}`;
  const placeless = parts.length === 0 && waiting.length === 0 && failed === '';
  const text = placeless || toldBy[kind] === 'places and message' ? message : '';
  return JSON.stringify([kind, parts, [...new Set(waiting)].toSorted(), failed, text]);
}

/** What two labels of one finding have in common wherever it is seen. */
export function labelKey({ agent, does, kernel, place }: FindingLabel): string {
  return JSON.stringify([agent, does, kernel ?? '', placeKey(place)]);
}

/** A place with the calls that lead to it. */
export function placeKey(place: SourcePlace | undefined): string {
  if (place === undefined) return '';
  const { span, inlinedAt } = place;
  return `${placeName(place)}+${span.end - span.start}<${placeKey(inlinedAt)}`;
}
