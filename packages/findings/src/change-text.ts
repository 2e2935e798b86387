import { shownPosition } from './shown-span.ts';
import type { WordChange } from './word-history.ts';

/** `rank 3 (store at 26:9)`, or `the put of rank 3 (16:7)`. */
export function changeText({ by }: WordChange, hasLaunches = false): string {
  const { agent, does, place, purpose, rank } = by;
  const at = place === undefined ? [] : [shownPosition(place)];
  const launch = hasLaunches && purpose !== undefined ? [purpose] : [];
  if (agent === 'host') return `the host of rank ${rank}`;
  if (agent === 'network') return `the ${firstWord(does)} of rank ${rank}${bracketed([...at, ...launch])}`;
  return `rank ${rank}${bracketed([[does, ...at].join(' at '), ...launch])}`;
}

function bracketed(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function firstWord(text: string): string {
  return text.split(' ', 1)[0] ?? text;
}
