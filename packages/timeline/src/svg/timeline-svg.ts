import { expectInteger, NcclError, showValue, type Timeline } from '@nccl-ts/core';

import { criticalPath } from '../critical-path.ts';
import { linkUses } from '../link-use.ts';
import { sliceCategories } from '../slice-category.ts';
import { tracksOf } from '../tracks-of.ts';
import { renderTime } from '../time-unit.ts';
import { drawFlows } from './draw-flows.ts';
import { drawLanes } from './draw-lanes.ts';
import { drawLinks } from './draw-links.ts';
import { drawPath } from './draw-path.ts';
import { AXIS, layOut, MARGIN, type Layout } from './layout.ts';
import { coordinate, element, fit, textElement, widthOf } from './markup.ts';
import { styleSheet } from './style.ts';
import { ticksOf, type Tick } from './time-axis.ts';

export interface TimelineSvgOptions {
  /**
   * The width of the whole picture in pixels, from 320 to 16384. Its height follows from the
   * lanes.
   *
   * @default 960
   */
  readonly width?: number;
  /** The largest number of lanes. A line below them states what was left out. @default 64 */
  readonly maxTracks?: number;
  /**
   * The text above the picture, which is also its name for screen readers. Without it there is no
   * heading.
   */
  readonly title?: string;
  /**
   * The prefix of ids in the picture: letters, digits, `-` and `_`, starting with a letter.
   * Pictures that are elements of one HTML page need different ones.
   *
   * @default `timeline`
   */
  readonly idPrefix?: string;
}

/** Its entry in the legend. */
const CRITICAL = 'critical path';
const HEADING = 24;
const LEGEND_ROW = 20;
const MOST_LABEL = 200;
const TICK_ROOM = 90;

/**
 * Draws the timeline, as the text of an SVG file: ranks as groups, tracks as lanes, slices as bars,
 * and flows as arrows. A nested slice is one row below its enclosing one. The name and times of a
 * bar or an arrow are its `<title>`, which browsers show under the pointer.
 *
 * It follows the reader's choice of light or dark. A page that contains it as an element can set
 * its colours (`--timeline-ground`, `--timeline-text`, `--timeline-compute`,
 * `--timeline-compute-text` and so on). It needs no script and no font, and the same timeline gives
 * the same text. Every slice is drawn, however short, so use a Chrome trace for more than a few
 * thousand.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for invalid options.
 */
export function timelineSvg(timeline: Timeline, options: TimelineSvgOptions = {}): string {
  const width = expectInteger('width', options.width ?? 960, 320, 16384);
  const maxTracks = expectInteger('maxTracks', options.maxTracks ?? 64, 1);
  const prefix = expectPrefix(options.idPrefix ?? 'timeline');
  const { title } = options;
  const used = new Set(tracksOf(timeline).flatMap(({ slices }) => slices.map(({ category }) => category)));
  // A path on a single track shows nothing that the track does not.
  const steps = criticalPath(timeline);
  const path = steps.length > 1 ? steps : [];
  const names = sliceCategories.filter((category) => used.has(category));
  const legend = legendOf(path.length === 0 ? names : [...names, CRITICAL], width);
  // A label of a link has its name and a rate.
  const ofLinks = timeline.processes.flatMap((process) => linkUses(process).map(({ link }) => `${link}, to 0000 GB/s`));
  const texts = [...tracksOf(timeline), ...timeline.processes].map(({ name }) => name);
  const rooms = [...texts, ...ofLinks].map((text) => widthOf(text) + 18);
  const labels = Math.min(
    MOST_LABEL,
    width / 4,
    rooms.reduce((widest, one) => Math.max(widest, one), 0),
  );
  const layout = layOut({
    timeline,
    width,
    labels,
    heading: title === undefined ? 0 : HEADING,
    maxTracks,
  });
  const height = layout.bottom + (legend.rows + (layout.omittedTracks === 0 ? 0 : 1)) * LEGEND_ROW + MARGIN / 2;
  const parts = [
    textElement('title', { id: `${prefix}-title` }, title ?? 'Timeline'),
    textElement('desc', { id: `${prefix}-desc` }, describe(timeline)),
    // The style sheet is generated text, and needs no escaping.
    element('style', {}, [`\n${styleSheet(`${prefix}-hatch`)}\n`]),
    definitions(prefix),
    element('rect', { class: 'ground', width, height }),
    ...(title === undefined ? [] : [drawHeading(title, width)]),
    drawAxis(timeline, layout),
    ...drawLanes(timeline, layout),
    ...drawLinks(timeline, layout),
    ...drawPath(path, layout),
    ...drawFlows(timeline, layout, path, `${prefix}-head`),
    ...drawFooting(layout, legend),
  ];
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    class: 'nccl-ts-timeline',
    role: 'img',
    'aria-labelledby': `${prefix}-title ${prefix}-desc`,
    viewBox: `0 0 ${coordinate(width)} ${coordinate(height)}`,
    width,
    height,
  };
  return `${element('svg', attributes, [...parts.map((part) => `\n${part}`), '\n'])}\n`;
}

function expectPrefix(prefix: string): string {
  if (/^[A-Za-z][\w-]*$/.test(prefix)) return prefix;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `idPrefix must be a letter, and then letters, digits, "-" and "_"; given ${showValue(prefix)}.`,
    { details: { what: 'idPrefix', given: prefix } },
  );
}

function describe(timeline: Timeline): string {
  const tracks = tracksOf(timeline);
  const slices = tracks.reduce((sum, track) => sum + track.slices.length, 0);
  const parts = [
    count(timeline.processes.length, 'rank'),
    count(tracks.length, 'track'),
    count(slices, 'slice'),
    count(timeline.flows.length, 'arrow'),
  ];
  return `${parts.join(', ')}, from ${renderTime(timeline.start)} to ${renderTime(timeline.end)}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Defines the hatching of waits, and the head of arrows. */
function definitions(prefix: string): string {
  return element('defs', {}, [
    element(
      'pattern',
      {
        id: `${prefix}-hatch`,
        width: 6,
        height: 6,
        patternUnits: 'userSpaceOnUse',
        patternTransform: 'rotate(45)',
      },
      [element('line', { class: 'hatching', x1: 0, y1: 0, x2: 0, y2: 6 })],
    ),
    element(
      'marker',
      {
        id: `${prefix}-head`,
        viewBox: '0 0 8 8',
        refX: 7,
        refY: 4,
        markerWidth: 7,
        markerHeight: 7,
        markerUnits: 'userSpaceOnUse',
        orient: 'auto',
      },
      [element('path', { class: 'head', d: 'M0 0.5L8 4L0 7.5Z' })],
    ),
  ]);
}

function drawHeading(title: string, width: number): string {
  return textElement('text', { class: 'heading', x: MARGIN, y: 26 }, fit(title, ((width - 2 * MARGIN) * 11) / 15));
}

function drawAxis({ start, end }: Timeline, { left, right, top, bottom, x }: Layout): string {
  const y = top - AXIS + 12;
  const marks = ticksThatFit(start, end, right - left).flatMap(({ time, label }) => {
    const at = x(time);
    const room = widthOf(label) / 2;
    // Labels at the edges lean inwards.
    const anchor = at - room < 0 ? '' : at + room > right + 10 ? ' end' : ' middle';
    return [
      element('line', { class: 'line', x1: at, y1: y + 5, x2: at, y2: bottom }),
      textElement('text', { class: `muted${anchor}`, x: at, y }, label),
    ];
  });
  return element('g', { class: 'axis' }, marks);
}

/**
 * Returns as many marks as fit with their labels, which are long if the timeline starts late and is
 * short.
 */
function ticksThatFit(start: number, end: number, width: number): readonly Tick[] {
  const ticks = ticksOf(start, end, width / TICK_ROOM);
  const widest = ticks.reduce((room, { label }) => Math.max(room, widthOf(label) + 16), TICK_ROOM);
  return widest > TICK_ROOM ? ticksOf(start, end, width / widest) : ticks;
}

interface Legend {
  readonly rows: number;
  readonly entries: readonly { readonly name: string; readonly x: number; readonly row: number }[];
}

function legendOf(names: readonly string[], width: number): Legend {
  let [x, row] = [MARGIN, 0];
  const entries = names.map((name) => {
    const needed = 34 + widthOf(name);
    if (x + needed > width && x > MARGIN) [x, row] = [MARGIN, row + 1];
    const entry = { name, x, row };
    x += needed;
    return entry;
  });
  return { rows: names.length === 0 ? 0 : row + 1, entries };
}

function drawFooting({ bottom, omittedTracks, omittedFlows }: Layout, { rows, entries }: Legend): readonly string[] {
  const drawn = entries.map(({ name, x, row }) => {
    const y = bottom + row * LEGEND_ROW + 4;
    if (name === CRITICAL) {
      return element('g', {}, [
        element('line', { class: 'path', x1: x, y1: y + 6, x2: x + 18, y2: y + 6 }),
        textElement('text', { x: x + 23, y: y + 10 }, name),
      ]);
    }
    return element('g', { class: `slice ${name}` }, [
      element('rect', { x, y, width: 18, height: 12, rx: 2 }),
      ...(name === 'wait' ? [element('rect', { class: 'hatch', x, y, width: 18, height: 12, rx: 2 })] : []),
      // It is not on the bar, and so not in the colour of text on bars.
      textElement('text', { style: 'fill:var(--timeline-text);stroke:none', x: x + 23, y: y + 10 }, name),
    ]);
  });
  if (omittedTracks === 0) return drawn;
  const arrows = omittedFlows === 0 ? '' : ` and the ${count(omittedFlows, 'arrow')} that touch them`;
  const note = `Left out: ${count(omittedTracks, 'track')}${arrows}.`;
  return [...drawn, textElement('text', { class: 'muted', x: MARGIN, y: bottom + rows * LEGEND_ROW + 14 }, note)];
}
