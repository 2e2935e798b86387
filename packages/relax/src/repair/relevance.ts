import type { Finding, FindingLabel } from '@nccl-ts/findings';
import type { Strengthening, StrengtheningKind } from './strengthening.ts';

/** A line of the PTX near which a strengthening may mend a finding. */
interface Clue {
  readonly line: number;
  /** The side of the line that a fence or barrier should stand on. */
  readonly side: 'before' | 'after';
  /** The kinds that the finding asks for. Empty if it asks for none. */
  readonly kinds: readonly StrengtheningKind[];
}

/**
 * How far a strengthening is from what a finding asks for: lower is tried first. `name` is that of
 * the PTX, whose lines the finding must have.
 */
export function distanceFrom(finding: Finding, name: string): (one: Strengthening) => number {
  const clues = cluesOf(finding, name);
  return ({ kind, lines, depth, does }) => {
    const near = clues.map(({ line, side, kinds }) => {
      const apart = Math.min(...lines.map((one) => Math.abs(one - line) + (isOn(side, one, line, does) ? 0 : 6)));
      return apart + (kinds.includes(kind) ? 0 : 30);
    });
    // A barrier needs all threads. A fence is cheaper where only some come by.
    return Math.min(...near, 1000) + (kind === 'barrier' ? 10 * depth : 0);
  };
}

function isOn(side: Clue['side'], own: number, line: number, does: string): boolean {
  if (!does.startsWith('insert')) return true;
  return side === 'before' ? own <= line : own > line;
}

function cluesOf(finding: Finding, name: string): readonly Clue[] {
  const clues: Clue[] = [];
  const add = (label: FindingLabel | undefined, side: Clue['side'], kinds: readonly StrengtheningKind[]): void => {
    for (let at = label?.place; at !== undefined; at = at.inlinedAt)
      if (at.source === name) clues.push({ line: at.line, side, kinds });
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
        add(at, 'before', ['barrier']);
        add(before, 'after', ['barrier']);
        add(now, 'before', ['barrier']);
        break;
    }
  }
  add(now, 'before', []);
  add(before, 'after', []);
  for (const { place } of finding.deadlock?.waiting ?? [])
    if (place?.source === name) clues.push({ line: place.line, side: 'before', kinds: [] });
  return clues;
}
