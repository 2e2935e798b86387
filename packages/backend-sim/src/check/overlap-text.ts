import type { FindingLabel } from '@nccl-ts/findings';
import { wordsFor } from './source-words.ts';
import type { OverlapOf } from './stream-places.ts';

/** Names the order that two launches of one rank lack, which may run at the same time. */
export function overlapText(
  now: FindingLabel,
  before: FindingLabel,
  overlap: OverlapOf | undefined,
): string | undefined {
  if (now.launch === undefined || before.launch === undefined) return undefined;
  const why = overlap?.(now.launch, before.launch);
  const [early, late] = now.launch < before.launch ? [now, before] : [before, now];
  if (why === undefined || early.rank !== late.rank || early.purpose === undefined || late.purpose === undefined)
    return undefined;
  const { gridWait, streamWait } = wordsFor(late);
  switch (why) {
    case 'streams':
      return (
        `${early.purpose} and ${late.purpose} are on two streams of rank ${early.rank}, and a stream orders its own work only: ` +
        streamWait(early.purpose, late.purpose)
      );
    case 'early':
      return (
        `${late.purpose} may begin before ${early.purpose} has ended: let each thread call ${gridWait} before its ${late.does}, ` +
        'or meet a thread of its CTA that has called it'
      );
    case 'chain':
      return (
        `${late.purpose} may begin before ${early.purpose} has ended, unless it and all launches in between wait: a ${gridWait} is missing ` +
        `before the ${late.does}, or in one of them`
      );
  }
}
