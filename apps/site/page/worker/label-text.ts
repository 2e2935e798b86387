import type { FindingLabel } from '@nccl-ts/findings';
import { lineAt } from './line-at.ts';

/** Names a participant: `rank 1, CTA 0, thread 3`. */
export function nameOf({ agent, rank, blockIdx, thread, does }: FindingLabel): string {
  if (agent === 'host') return `the host of rank ${rank}`;
  const what = agent === 'network' ? `${does}, ` : '';
  return `${what}rank ${rank}, CTA ${blockIdx?.x}, thread ${thread}`;
}

/** The line of the program that a participant is at. */
export function lineOf({ place: location }: FindingLabel): number | undefined {
  return location === undefined ? undefined : lineAt(location);
}
