import type { StreamPlaces } from '../stream-places.ts';
import { launchOf, type NearMiss, type StorySide, type StoryWait } from './near-miss.ts';

/**
 * The words by which the streams of two ranks synchronize beside the launches that race. `waitsOf`
 * returns the waits of a rank, the oldest first.
 */
export function betweenLaunches(
  now: StorySide,
  before: StorySide,
  streams: StreamPlaces,
  waitsOf: (rank: number) => readonly StoryWait[],
): NearMiss | undefined {
  return missOf(before, now, streams, waitsOf) ?? missOf(now, before, streams, waitsOf);
}

function missOf(
  first: StorySide,
  second: StorySide,
  streams: StreamPlaces,
  waitsOf: (rank: number) => readonly StoryWait[],
): NearMiss | undefined {
  const [from, to] = [first.label.launch, second.label.launch];
  if (from === undefined || to === undefined || first.label.rank === second.label.rank) return undefined;
  // Between two rounds of the program, more than one word may be missing.
  if (launchOf(first) !== launchOf(second) && !Number.isNaN(launchOf(first))) return undefined;
  if (synchronizes(first) || synchronizes(second)) return undefined;
  const isEarlier = ({ by }: StoryWait): boolean => by.launch !== undefined && streams.isBefore(by.launch, to);
  const wait = waitsOf(second.label.rank).findLast(isEarlier);
  const change = wait?.read;
  if (wait === undefined || change?.by.launch === undefined || change.by.rank !== first.label.rank) return undefined;
  if (!streams.isBefore(change.by.launch, from)) return undefined;
  return { why: 'launches', first, second, wait, change };
}

/** True if the launch of a side waits, or changes a word. */
function synchronizes({ label, waits, late, earlier, later }: StorySide): boolean {
  return [...waits, ...late, ...earlier, ...later].some(({ by }) => by.launch === label.launch);
}
