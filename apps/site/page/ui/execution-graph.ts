import { at } from '@nccl-ts/core';
import type { ExecutionGraph } from '../protocol.ts';
import { h, svg } from './dom.ts';
import { edgesOf, withCycle, type GraphEdge } from './execution-edges.ts';

const COLUMN = 210;
const WIDTH = 180;
/** The top of the first row; the names of the threads are above it. */
const TOP = 56;

type Corner = readonly [x: number, y: number];

interface DrawnEdge extends Omit<GraphEdge, 'kind'> {
  readonly kind: GraphEdge['kind'] | 'other';
}

const names: Readonly<Record<DrawnEdge['kind'], string>> = { po: 'po', reads: 'rf', fr: 'fr', co: 'co', other: '' };

/** Where an arrow leaves a box, and where it comes to another one. */
function ends([x1, y1]: Corner, [x2, y2]: Corner, kind: DrawnEdge['kind'], height: number): readonly [Corner, Corner] {
  if (kind === 'po')
    return [
      [x1 + WIDTH / 2, y1 + height],
      [x2 + WIDTH / 2, y2],
    ];
  // Arrows of different kinds between the same boxes must not hide each other.
  const shift = { reads: -5, fr: 6, co: 0, other: 0 }[kind];
  const [start, end] = x1 < x2 ? [x1 + WIDTH, x2] : x1 > x2 ? [x1, x2 + WIDTH] : [x1 + WIDTH - 10, x2 + WIDTH - 10];
  return [
    [start, y1 + height / 2 + shift],
    [end, y2 + height / 2 + shift],
  ];
}

/** A line with an arrowhead, and its name beside the middle. */
function line([x1, y1]: Corner, [x2, y2]: Corner, style: string, name: string): SVGElement[] {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = length === 0 ? [0, 1] : [(x2 - x1) / length, (y2 - y1) / length];
  const [backX, backY] = [x2 - 8 * dx, y2 - 8 * dy];
  const head = `M ${x2} ${y2} L ${backX - 4 * dy} ${backY + 4 * dx} L ${backX + 4 * dy} ${backY - 4 * dx} Z`;
  return [
    svg('path', { d: `M ${x1} ${y1} L ${backX} ${backY}`, class: `edge-line ${style}` }),
    svg('path', { d: head, class: `edge-head ${style}` }),
    ...(name === ''
      ? []
      : [svg('text', { x: (x1 + x2) / 2 + 6, y: (y1 + y2) / 2 - 3, class: `edge-name ${style}` }, name)]),
  ];
}

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
  const arrow = ({ from: source, to: target, kind, isInCycle = false }: DrawnEdge): SVGElement[] => {
    const to = position.get(target);
    if (to === undefined) return [];
    const from = position.get(source);
    const style = `${kind}${isInCycle ? ' cycle' : ''}`;
    // The initial memory is drawn above everything else.
    if (from === undefined) {
      const x = to[0] + 20;
      return line([x, 34], [x, to[1]], `${style} initial`, kind === 'reads' ? 'rf' : '');
    }
    return line(...ends(from, to, kind, height), style, names[kind]);
  };
  const edges = withCycle(edgesOf(graph));
  const initial = reads.filter(([write]) => !position.has(write));
  const width = agents.length * COLUMN;
  const told = [
    'po: program order. rf: a read returns the value of a write; a dotted arrow starts at the initial memory.',
    'fr: a read returns an older value than this write. co: a write comes after another one at its location.',
    ...(edges.some(({ isInCycle }) => isInCycle)
      ? ['The red arrows form a cycle: no order of all accesses, one after the other, explains this execution.']
      : []),
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
        ...others.flatMap(([from, to]) => arrow({ from, to, kind: 'other' })),
        ...initial.flatMap(([from, to]) => arrow({ from, to, kind: 'reads' })),
        ...edges.flatMap((edge) => arrow(edge)),
        ...boxes,
      ),
    ),
  );
}
