import { at, type Timeline } from '@nccl-ts/core';
import type { LinkName } from '../link-use.ts';
import { renderTime } from '../time-unit.ts';
import { LINK, type Layout, type LinkRow } from './layout.ts';
import { coordinate, element, fit, textElement, widthOf } from './markup.ts';

/** Draws the bytes on the links of each rank over time. Each kind of link has one scale. */
export function drawLinks({ end }: Timeline, { groups, left, right, x }: Layout): readonly string[] {
  const rows = groups.flatMap((group) => group.links).map((row) => ({ ...row, peak: peakOf(row) }));
  const scales = new Map<LinkName, number>();
  for (const { use, peak } of rows) scales.set(use.link, Math.max(scales.get(use.link) ?? peak, peak));
  return rows.map((row) => {
    const { use, top, peak } = row;
    const most = scales.get(use.link) ?? peak;
    const bottom = top + LINK;
    const corners = use.points.flatMap(({ time, rate }, i) => {
      const height = most === 0 ? 0 : (rate / most) * (LINK - 2);
      const until = use.points[i + 1]?.time ?? end;
      return [
        `L${coordinate(x(time))} ${coordinate(bottom - height)}`,
        `L${coordinate(x(until))} ${coordinate(bottom - height)}`,
      ];
    });
    const first = at(use.points, 0).time;
    const curve = `M${coordinate(x(first))} ${coordinate(bottom)}${corners.join('')}L${coordinate(x(end))} ${coordinate(bottom)}Z`;
    const room = left - 28;
    const withPeak = `${use.link}, to ${rounded(peak)} GB/s`;
    const hasRoom = widthOf(withPeak) <= room;
    const label = hasRoom ? withPeak : fit(use.link, room);
    return element('g', { class: 'link' }, [
      textElement('title', {}, hasRoom ? titleOf(row) : `${titleOf(row)}, to ${rounded(peak)} GB/s`),
      element('rect', { class: 'lane', x: left, y: top, width: right - left, height: LINK }),
      textElement('text', { class: 'muted', x: 22, y: top + 14 }, label),
      element('path', { class: 'use', d: curve }),
    ]);
  });
}

function titleOf({ use: { link, bytes, points } }: LinkRow): string {
  const [first, last] = [at(points, 0).time, at(points, points.length - 1).time];
  return `link use: ${link}, ${bytes} bytes from ${renderTime(first)} to ${renderTime(last)}`;
}

function peakOf({ use }: LinkRow): number {
  return use.points.reduce((most, { rate }) => Math.max(most, rate), 0);
}

/** Formats a number with at most three digits before a fraction. */
function rounded(rate: number): string {
  return rate >= 100 ? rate.toFixed(0) : rate >= 10 ? rate.toFixed(1) : rate.toFixed(2);
}
