import { at } from '@nccl-ts/core';
import type { ExecutionGraph } from '../protocol.ts';
import { h, svg } from './dom.ts';

const COLUMN = 210;
const WIDTH = 180;
/** The top of the first row; the names of the threads are above it. */
const TOP = 56;

/**
 * Draws the threads of an execution side by side, with an arrow from each write to the reads that
 * returned its value.
 */
export function executionGraph(graph: ExecutionGraph, title: string): HTMLElement {
  const { agents, moreAgents, events, reads, others } = graph;
  const height = events.some(({ note }) => note !== undefined) ? 44 : 30;
  const step = height + 32;
  const position = new Map<number, readonly [number, number]>();
  const counts = agents.map(() => 0);
  for (const { id, agent } of events) {
    const row = at(counts, agent);
    counts[agent] = row + 1;
    position.set(id, [10 + agent * COLUMN, TOP + row * step]);
  }
  const boxes = events.flatMap(({ id, text, note, isOpen }) => {
    const [x, y] = position.get(id) ?? [0, 0];
    const middle = x + WIDTH / 2;
    return [
      svg('rect', { x, y, width: WIDTH, height, rx: 4, class: isOpen === true ? 'event open' : 'event' }),
      svg('text', { x: middle, y: y + (note === undefined ? 20 : 18), class: 'does' }, text),
      ...(note === undefined ? [] : [svg('text', { x: middle, y: y + 35, class: 'does note' }, note)]),
    ];
  });
  const heads = agents.map((name, i) => svg('text', { x: 100 + i * COLUMN, y: 20, class: 'does head' }, name));
  const arrow = ([write, read]: readonly [number, number], kind: string): SVGElement => {
    const [x2, y2] = position.get(read) ?? [0, 0];
    const from = position.get(write);
    // The initial memory is drawn above everything else.
    if (from === undefined) {
      return svg('path', { d: `M ${x2 + 20} 34 L ${x2 + 20} ${y2}`, class: `${kind} initial` });
    }
    const [x1, y1] = from;
    const [start, end] = x1 < x2 ? [x1 + WIDTH, x2] : x1 > x2 ? [x1, x2 + WIDTH] : [x1 + WIDTH - 10, x2 + WIDTH - 10];
    return svg('path', { d: `M ${start} ${y1 + height / 2} L ${end} ${y2 + height / 2}`, class: kind });
  };
  const width = agents.length * COLUMN;
  const told = [
    'An arrow leads from a write to the read that returned its value. A dotted arrow starts at the initial memory.',
    ...(others.length === 0 ? [] : ['A thin grey arrow shows a write that the read returns in another execution.']),
    ...(moreAgents === 0 ? [] : [`${moreAgents} more thread${moreAgents === 1 ? ' is' : 's are'} not drawn.`]),
  ];
  return h(
    'div',
    {},
    h('p', { class: 'quiet' }, told.join(' ')),
    h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'execution' },
      svg(
        'svg',
        { viewBox: `0 0 ${width} ${TOP + step * Math.max(0, ...counts)}`, width, class: 'graph', role: 'img' },
        svg('title', {}, title),
        ...heads,
        ...others.map((pair) => arrow(pair, 'other')),
        ...reads.map((pair) => arrow(pair, 'reads')),
        ...boxes,
      ),
    ),
  );
}
