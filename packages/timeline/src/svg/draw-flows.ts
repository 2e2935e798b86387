import type { CriticalStep } from '../critical-path.ts';
import { renderTime } from '../time-unit.ts';
import type { FlowEnd, Timeline, TrackId } from '@nccl-ts/core';
import { rowTop, ROW, type Lane, type Layout } from './layout.ts';
import { coordinate, element, textElement } from './markup.ts';

/** A point in the picture, and its text. */
interface Point {
  readonly x: number;
  readonly y: number;
  readonly label: string;
  readonly process: string | undefined;
}

/**
 * If there are more arrows than this, all arrows that are not on the critical path are faint, and
 * those between ranks show only their ends.
 */
const MANY = 12;

/** The height and width of an arrow's end. */
const END = 11;

/**
 * Draws arrows between the visible lanes. Those on the critical path come last, on top of all
 * others. `head` is the id of the arrow's head.
 */
export function drawFlows(
  { flows }: Timeline,
  layout: Layout,
  path: readonly CriticalStep[],
  head: string,
): readonly string[] {
  const critical = new Set(path.map(({ flow }) => flow));
  const lanes = new Map(
    layout.groups.flatMap(({ process, lanes: own }) =>
      own.map((lane): [TrackId, readonly [Lane, string]] => [lane.track.id, [lane, process.name]]),
    ),
  );
  const pointOf = ({ track, time, slice }: FlowEnd): Point | undefined => {
    const [lane, process] = lanes.get(track) ?? [];
    const touched = lane?.track.slices[slice];
    if (lane === undefined || process === undefined || touched === undefined) return undefined;
    const place = `${process}, ${lane.track.name}, ${renderTime(time)}`;
    return { x: layout.x(time), y: rowTop(lane, touched) + ROW / 2, label: place, process };
  };
  const ordered = flows.toSorted((a, b) => Number(critical.has(a.id)) - Number(critical.has(b.id)));
  return ordered.flatMap(({ id, name, from, to }) => {
    const [start, end] = [pointOf(from), pointOf(to)];
    if (start === undefined || end === undefined) return [];
    const isFaint = flows.length > MANY && !critical.has(id);
    const d = isFaint && start.process !== end.process ? ends(start, end) : curve(start, end);
    return element('g', {}, [
      textElement('title', {}, `${name}: ${start.label} → ${end.label}`),
      // Many halos would hide the names on bars.
      ...(isFaint ? [] : [element('path', { class: 'halo', d })]),
      element('path', {
        class: `flow${critical.has(id) ? ' critical' : isFaint ? ' faint' : ''}`,
        d,
        'marker-end': `url(#${head})`,
      }),
    ]);
  });
}

/** Draws only the ends: one leaves towards the other end, and one arrives from there. */
function ends(start: Point, end: Point): string {
  const step = Math.sign(end.y - start.y) * END;
  const leave = [END / 2, 0, END / 2, step].map(coordinate).join(' ');
  const arrive = [0, step, END, step].map(coordinate).join(' ');
  const from = `M${coordinate(start.x)} ${coordinate(start.y)}q${leave}`;
  return `${from}M${coordinate(end.x - END)} ${coordinate(end.y - step)}q${arrive}`;
}

/** Draws a curve that leaves to the right and arrives from the left, however close the two are. */
function curve(start: Point, end: Point): string {
  const reach = Math.max(14, Math.min(Math.abs(end.x - start.x) / 2, 70));
  const points = [start.x + reach, start.y, end.x - reach, end.y, end.x, end.y].map(coordinate);
  return `M${coordinate(start.x)} ${coordinate(start.y)}C${points.join(' ')}`;
}
