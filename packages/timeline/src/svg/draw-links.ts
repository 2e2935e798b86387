import { renderTime } from '../time-unit.ts';
import type { Timeline } from '../timeline.ts';
import { LINK, type Layout, type LinkRow } from './layout.ts';
import { coordinate, element, fit, textElement } from './markup.ts';

/** The bytes on the links of each rank over time, on one scale for each link. */
export function drawLinks({ end }: Timeline, { groups, left, right, x }: Layout): readonly string[] {
  const rows = groups.flatMap((group) => group.links);
  return rows.map((row) => {
    const { use, top } = row;
    const most = rows
      .filter((other) => other.use.link === use.link)
      .reduce((all, one) => Math.max(all, peakOf(one)), 0);
    const bottom = top + LINK;
    const corners = use.points.flatMap(({ time, rate }, i) => {
      const height = most === 0 ? 0 : (rate / most) * (LINK - 2);
      const until = use.points[i + 1]?.time ?? end;
      return [
        `L${coordinate(x(time))} ${coordinate(bottom - height)}`,
        `L${coordinate(x(until))} ${coordinate(bottom - height)}`,
      ];
    });
    const first = use.points[0]?.time ?? end;
    const curve = `M${coordinate(x(first))} ${coordinate(bottom)}${corners.join('')}L${coordinate(x(end))} ${coordinate(bottom)}Z`;
    const label = fit(`${use.link}, to ${rounded(peakOf(row))} GB/s`, left - 28);
    return element('g', { class: 'link' }, [
      textElement('title', {}, titleOf(row)),
      element('rect', { class: 'lane', x: left, y: top, width: right - left, height: LINK }),
      textElement('text', { class: 'muted', x: 22, y: top + 14 }, label),
      element('path', { class: 'use', d: curve }),
    ]);
  });
}

function titleOf({ use: { link, bytes, points } }: LinkRow): string {
  const [first, last] = [points[0]?.time ?? 0, points.at(-1)?.time ?? 0];
  return `link use: ${link}, ${bytes} bytes from ${renderTime(first)} to ${renderTime(last)}`;
}

function peakOf({ use }: LinkRow): number {
  return use.points.reduce((most, { rate }) => Math.max(most, rate), 0);
}

/** Three digits at most, before a fraction. */
function rounded(rate: number): string {
  return rate >= 100 ? rate.toFixed(0) : rate >= 10 ? rate.toFixed(1) : rate.toFixed(2);
}
