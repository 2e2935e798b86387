import { locationName, type QuotedLocation } from '../quoted-location.ts';
import { findingKinds } from './finding-kinds.ts';
import type { Finding } from './finding.ts';
import type { FindingLabel } from '../finding-label.ts';

/**
 * Identifies the sightings of one finding: the kind, the actions and the source locations. Ranks,
 * CTAs, threads, bytes, the launch and the schedule may differ. Findings without a source location
 * share the message.
 */
export function findingKey(finding: Finding): string {
  const { kind, labels, message, deadlock, fault } = finding;
  const parts = labels.map(labelKey);
  if (findingKinds[kind].distinguishedBy === 'pair') parts.sort();
  const waiting = (deadlock?.waiting ?? []).map((group) => `${group.kernel} ${group.kind} ${locationKey(group.place)}`);
  const failed = fault === undefined ? '' : `${fault.kernel} ${fault.kind} ${locationKey(fault.place)}`;
  const placeless = parts.length === 0 && waiting.length === 0 && failed === '';
  const text = placeless || findingKinds[kind].distinguishedBy === 'places and message' ? message : '';
  return JSON.stringify([kind, parts, [...new Set(waiting)].toSorted(), failed, text]);
}

/** The part of a label that all sightings of a finding share. */
export function labelKey({ agent, does, kernel, place: location }: FindingLabel): string {
  return JSON.stringify([agent, does, kernel ?? '', locationKey(location)]);
}

/** A source location with the calls that lead to it. */
export function locationKey(location: QuotedLocation | undefined): string {
  if (location === undefined) return '';
  const { span, inlinedAt } = location;
  return `${locationName(location)}+${span.end - span.start}<${locationKey(inlinedAt)}`;
}
