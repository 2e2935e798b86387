import { locationKey } from './finding-key.ts';
import type { Finding } from './finding.ts';

/** Findings with one cause: the first, and the others that a change at the same place mends. */
export interface CauseGroup {
  readonly first: number;
  readonly others: readonly number[];
}

/**
 * Groups the findings of a report by the statement that must change. Findings without one, or with
 * another weight, are alone.
 */
export function byCause(findings: readonly Finding[]): readonly CauseGroup[] {
  const groups = new Map<string, { readonly first: number; readonly others: number[] }>();
  for (const [i, finding] of findings.entries()) {
    const key = causeKey(finding) ?? String(i);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { first: i, others: [] });
    else known.others.push(i);
  }
  return [...groups.values()];
}

function causeKey({ kind, severity, missing, labels }: Finding): string | undefined {
  const [nearest] = missing;
  if (nearest?.at?.place === undefined || labels.length < 2) return undefined;
  return JSON.stringify([kind, severity, nearest.kind, nearest.today ?? '', locationKey(nearest.at.place)]);
}

/**
 * The groups in the order of the text: an access out of bounds comes before a race at its line,
 * which follows from it. So does a misuse, whatever races.
 */
export function faultsFirst(groups: readonly CauseGroup[], findings: readonly Finding[]): readonly CauseGroup[] {
  const racing = new Set(findings.filter(({ kind }) => kind === 'race').flatMap(placesOf));
  const isCause = ({ first }: CauseGroup): boolean => {
    const finding = findings[first];
    if (finding?.kind === 'misuse' && finding.severity === 'error') return racing.size > 0;
    return finding?.kind === 'out-of-bounds' && placesOf(finding).some((place) => racing.has(place));
  };
  return [...groups.filter(isCause), ...groups.filter((group) => !isCause(group))];
}

function placesOf({ labels }: Finding): readonly string[] {
  return labels.flatMap(({ place }) => (place === undefined ? [] : [locationKey(place)]));
}
