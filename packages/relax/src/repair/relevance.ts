import type { Finding, FindingLabel, QuotedLocation } from '@nccl-ts/findings';
import type { Strengthening, StrengtheningKind } from './strengthening.ts';

/** A line of the text near which a strengthening may mend a finding. */
interface Clue {
  readonly line: number;
  /** The side of the line that a fence or barrier should stand on. */
  readonly side: 'before' | 'after';
  /** The kinds that the finding asks for. Empty if it asks for none. */
  readonly kinds: readonly StrengtheningKind[];
  /** How much farther it is than a place that the finding names. */
  readonly more: number;
}

/** The same for the accesses themselves, if the finding names a place between them. */
const OF_ACCESS = 2;

/** Returns the line of a location, if it is in the text that is repaired. */
export type LineOf = (place: QuotedLocation) => number | undefined;

/** The lines of a location and of the calls that lead to it. */
export function linesOf(place: QuotedLocation | undefined, lineOf: LineOf): readonly number[] {
  const lines: number[] = [];
  for (let at = place; at !== undefined; at = at.inlinedAt) {
    const line = lineOf(at);
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

/** How far a strengthening is from what a finding asks for: lower is tried first. */
function distanceFrom(finding: Finding, lineOf: LineOf): (one: Strengthening) => number {
  const clues = cluesOf(finding, lineOf);
  return ({ kind, lines, depth, does }) => {
    const near = clues.map(({ line, side, kinds, more }) => {
      const apart = Math.min(...lines.map((one) => Math.abs(one - line) + (isOn(side, one, line, does) ? 0 : 6)));
      return apart + more + (kinds.includes(kind) ? 0 : 30);
    });
    // A barrier needs all threads. A fence is cheaper where only some come by.
    return Math.min(...near, 1000) + (kind === 'barrier' ? 10 * depth : 0);
  };
}

/** The strengthenings that are nearest to what a finding asks for first. */
export function nearestFirst(
  all: readonly Strengthening[],
  finding: Finding,
  lineOf: LineOf,
): readonly Strengthening[] {
  const distance = distanceFrom(finding, lineOf);
  return all
    .map((one) => ({ one, far: distance(one) }))
    .toSorted((a, b) => a.far - b.far)
    .map(({ one }) => one);
}

function isOn(side: Clue['side'], own: number, line: number, does: string): boolean {
  if (!does.startsWith('insert')) return true;
  return side === 'before' ? own <= line : own > line;
}

function cluesOf(finding: Finding, lineOf: LineOf): readonly Clue[] {
  const clues: Clue[] = [];
  const addPlace = (
    place: QuotedLocation | undefined,
    side: Clue['side'],
    kinds: readonly StrengtheningKind[],
    more: number,
  ): void => {
    for (const line of linesOf(place, lineOf)) clues.push({ line, side, kinds, more });
  };
  const add = (
    label: FindingLabel | undefined,
    side: Clue['side'],
    kinds: readonly StrengtheningKind[],
    more = 0,
  ): void => {
    addPlace(label?.place, side, kinds, more);
  };
  const [now, before] = finding.labels;
  for (const { kind, at } of finding.missing) {
    switch (kind) {
      case 'release':
        add(at, 'before', ['order', 'fence']);
        break;
      case 'acquire':
        add(at, 'after', ['order', 'fence']);
        break;
      case 'scope':
      case 'strong':
        add(at, 'before', ['order']);
        break;
      case 'proxy-fence':
        add(at, 'after', ['proxy']);
        break;
      case 'completion':
        add(at, 'after', ['completion', 'order', 'proxy']);
        break;
      case 'coop-sync':
      case 'synchronisation':
        // Threads meet before a flag is stored, or after a wait for one. The accesses may have come
        // in either order.
        for (const side of ['before', 'after'] as const) {
          add(at, side, ['barrier']);
          add(before, side, ['barrier'], at === undefined ? 0 : OF_ACCESS);
          add(now, side, ['barrier'], at === undefined ? 0 : OF_ACCESS);
        }
        break;
    }
  }
  add(now, 'before', []);
  add(before, 'after', []);
  for (const { place } of finding.deadlock?.waiting ?? []) addPlace(place, 'before', [], 0);
  return clues;
}
