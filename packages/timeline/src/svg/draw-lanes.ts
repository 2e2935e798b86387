import { renderTime } from '../time-unit.ts';
import type { Slice, Timeline } from '@nccl-ts/core';
import { MARGIN, rowTop, ROW, type Lane, type Layout } from './layout.ts';
import { element, fit, textElement, widthOf } from './markup.ts';

/** The width of the narrowest bar, so that slices without a duration stay visible. */
const NARROWEST = 1;

/** Draws the ranks with their lanes, and the slices in these. */
export function drawLanes(timeline: Timeline, layout: Layout): readonly string[] {
  const { left, right, groups } = layout;
  return groups.map(({ process, top, lanes }) =>
    element('g', { class: 'group' }, [
      element('line', { class: 'line', x1: MARGIN, y1: top + 2.5, x2: right, y2: top + 2.5 }),
      textElement('text', { class: 'rank', x: MARGIN, y: top + 17 }, fit(process.name, ((left - 22) * 11) / 13)),
      ...lanes.flatMap((lane) => [
        `\n${element('rect', { class: 'lane', x: left, y: lane.top, width: right - left, height: lane.height })}`,
        textElement('text', { class: 'muted', x: 22, y: lane.top + 12 }, fit(lane.track.name, left - 28)),
        ...lane.track.slices.map((slice) => `\n${drawSlice(slice, lane, layout)}`),
      ]),
    ]),
  );
}

function drawSlice(slice: Slice, lane: Lane, { x }: Layout): string {
  const from = x(slice.start);
  const width = Math.max(x(slice.end) - from, NARROWEST);
  const y = rowTop(lane, slice) + 1;
  const box = { x: from, y, width, height: ROW - 2, rx: Math.min(2, width / 2) };
  // A part of a name may be the name of something else.
  const label = widthOf(slice.name) <= width - 8 ? slice.name : '';
  return element('g', { class: `slice ${slice.category}` }, [
    textElement('title', {}, tooltip(slice)),
    element('rect', box),
    ...(slice.category === 'wait' ? [element('rect', { class: 'hatch', ...box })] : []),
    ...(label === '' ? [] : [textElement('text', { x: from + 4, y: y + 11.5 }, label)]),
  ]);
}

/** Formats a value for people. A number has at most three decimals. */
function fact(value: unknown): string {
  return String(typeof value === 'number' ? Math.round(value * 1000) / 1000 : value);
}

function tooltip({ name, category, start, end, args }: Slice): string {
  const facts = Object.entries(args).map(([key, value]) => `${key}: ${fact(value)}`);
  return [
    name === category ? name : `${name} (${category})`,
    `${renderTime(start)} to ${renderTime(end)}: ${renderTime(end - start)}`,
    ...facts,
  ].join('\n');
}
