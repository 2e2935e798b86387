import { placeName, type SourcePlace } from '../source-place.ts';
import { findingKinds } from './finding-kinds.ts';
import type { Finding, FindingLabel } from './finding.ts';

/**
 * Identifies the sightings of one finding: the kind, the actions and the source locations. Ranks,
 * CTAs, threads, bytes, the launch and the schedule may differ. Findings without a source location
 * share the message.
 */
export function findingKey(finding: Finding): string {
  const { kind, labels, message, deadlock, fault } = finding;
  const parts = labels.map(labelKey);
  if (findingKinds[kind].toldBy === 'pair') parts.sort();
  const waiting = (deadlock?.waiting ?? []).map((group) => `${group.kernel} ${group.kind} ${placeKey(group.place)}`);
  const failed = fault === undefined ? '' : `${fault.kernel} ${fault.kind} ${placeKey(fault.place)}`;
  const placeless = parts.length === 0 && waiting.length === 0 && failed === '';
  const text = placeless || findingKinds[kind].toldBy === 'places and message' ? message : '';
  return JSON.stringify([kind, parts, [...new Set(waiting)].toSorted(), failed, text]);
}

/** The part of a label that all sightings of a finding share. */
export function labelKey({ agent, does, kernel, place }: FindingLabel): string {
  return JSON.stringify([agent, does, kernel ?? '', placeKey(place)]);
}

/** A source location with the calls that lead to it. */
export function placeKey(place: SourcePlace | undefined): string {
  if (place === undefined) return '';
  const { span, inlinedAt } = place;
  return `${placeName(place)}+${span.end - span.start}<${placeKey(inlinedAt)}`;
}
