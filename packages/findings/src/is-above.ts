import type { FindingLabel } from './check/finding.ts';
import { shownPosition } from './shown-span.ts';

/** True if the line of one participant stands above that of another, in the author's text. */
export function isAboveIn(one: FindingLabel, other: FindingLabel): boolean {
  const [[line = 0, column = 0] = [], [otherLine = 0, otherColumn = 0] = []] = [one, other].map(positionOf);
  return line < otherLine || (line === otherLine && column < otherColumn);
}

function positionOf({ place }: FindingLabel): readonly number[] {
  return place === undefined ? [] : shownPosition(place).split(':').map(Number);
}
