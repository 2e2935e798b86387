import type { CriticalStep } from '../critical-path.ts';
import { renderTime } from '../time-unit.ts';
import type { Layout } from './layout.ts';
import { element, textElement } from './markup.ts';

/** Draws a line below the bars of each lane, for the time that the critical path is there. */
export function drawPath(path: readonly CriticalStep[], { groups, x }: Layout): readonly string[] {
  const lanes = new Map(groups.flatMap((group) => group.lanes.map((lane) => [lane.track.id, lane] as const)));
  return path.flatMap(({ track, from, to }) => {
    const lane = lanes.get(track);
    if (lane === undefined) return [];
    const y = lane.top + lane.height + 1;
    return element('g', {}, [
      textElement('title', {}, `critical path: ${renderTime(from)} to ${renderTime(to)}, ${renderTime(to - from)}`),
      element('line', { class: 'path', x1: x(from), y1: y, x2: x(to), y2: y }),
    ]);
  });
}
