import { shownPosition, type FindingLabel } from '@nccl-ts/findings';
import { wordsFor } from './source-words.ts';

const reachOf = {
  thread: 'thread scope is one thread',
  block: 'block scope is one CTA',
  cluster: 'cluster scope is the CTAs of one cluster',
  device: 'device scope is one GPU',
  system: 'system scope is all GPUs',
} as const;

/** The side of an access to a flag on which a fence helps it. */
export function fenceSide(at: FindingLabel | undefined): 'before' | 'after' {
  return at?.does === 'load' ? 'after' : 'before';
}

/** The fence beside a flag does not reach the other thread. */
export function narrowFenceText(
  now: FindingLabel,
  before: FindingLabel,
  flag: FindingLabel | undefined,
  fence: FindingLabel | undefined,
): string | undefined {
  const scope = fence?.access?.scope;
  if (fence === undefined || scope === undefined || reaches(now, before, scope)) return undefined;
  const isReader = flag?.does === 'load';
  const where = now.rank === before.rank ? 'another CTA' : `rank ${(isReader ? before : now).rank}`;
  return (
    `the fence ${isReader ? 'after the load of the flag' : 'before the flag'} has ${scope} scope, which does not reach ${where}: ` +
    `${reachOf[scope]}; use ${wordsFor(fence, now, before).systemFence}`
  );
}

/** Says of a fence before a flag that it stands before the access too, and does not cover it. */
export function earlyFenceText(now: FindingLabel, before: FindingLabel, fence: FindingLabel | undefined): string {
  const scope = fence?.access?.scope;
  if (fence?.place === undefined || scope === undefined || !reaches(now, before, scope)) return '';
  return `. The fence at ${shownPosition(fence.place)} stands before the ${before.does}, and does not cover it`;
}

/** A cluster may have both CTAs, which the labels do not tell. */
function reaches({ rank }: FindingLabel, before: FindingLabel, scope: string): boolean {
  return scope === 'system' || ((scope === 'device' || scope === 'cluster') && rank === before.rank);
}
