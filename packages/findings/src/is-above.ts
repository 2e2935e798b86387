import type { FindingLabel } from './finding-label.ts';
import type { QuotedLocation } from './quoted-location.ts';

/**
 * True if the line of the kernel that led to one participant stands above that of another. Within
 * functions that the author calls, the calls count.
 */
export function isAboveIn(one: FindingLabel, other: FindingLabel): boolean {
  const [a, b] = [positionOf(one.place), positionOf(other.place)];
  return a.line < b.line || (a.line === b.line && a.column < b.column);
}

function positionOf(location: QuotedLocation | undefined): { readonly line: number; readonly column: number } {
  if (location === undefined) return { line: 0, column: 0 };
  return location.inlinedAt === undefined ? (location.location ?? location) : positionOf(location.inlinedAt);
}
