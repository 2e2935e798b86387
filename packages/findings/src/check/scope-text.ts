import { rankCountsOf, type CheckedScope, type LaunchShape } from './checked-scope.ts';

/** The most sizes of launches that are listed. Of more, the largest is named. */
const MOST_SIZES = 3;

/**
 * Names the launches of a check, such as `2 ranks x 4 CTAs x 128 threads`. Numbers of ranks with
 * equal launches are named together. `undefined` if no kernel was launched.
 */
export function scopeText(scope: CheckedScope): string | undefined {
  const byLaunches = new Map<string, number[]>();
  for (const ranks of rankCountsOf(scope)) {
    const text = sizesText(scope.launches.filter((shape) => shape.ranks === ranks));
    byLaunches.set(text, [...(byLaunches.get(text) ?? []), ranks]);
  }
  const parts = [...byLaunches].map(([text, ranks]) => `${ranksText(ranks)} x ${text}`);
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** `2, 3 and 4 ranks`. */
export function ranksText(counts: readonly number[]): string {
  const [last] = counts.slice(-1);
  const all = [counts.slice(0, -1).join(', '), String(last)].filter((part) => part !== '').join(' and ');
  return `${all} ${last === 1 && counts.length === 1 ? 'rank' : 'ranks'}`;
}

function sizesText(shapes: readonly LaunchShape[]): string {
  const [largest, ...others] = shapes.map(({ ctas, threads }) => `${count(ctas, 'CTA')} x ${count(threads, 'thread')}`);
  if (largest === undefined || others.length === 0) return largest ?? '';
  if (shapes.length > MOST_SIZES) return `${largest} (the largest of ${shapes.length} sizes)`;
  return `(${[largest, ...others].join(' and ')})`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
