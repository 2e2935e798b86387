import type { DeadlockPicture } from '../protocol.ts';
import { button, h, svg } from './dom.ts';

const LANE = 40;
const WIDTH = 430;
/** Where the ranks wait. */
const LINE = 190;

/**
 * Draws a lane for each rank: those that wait stand at a line, and those that are gone end before
 * it.
 */
export function deadlockDrawing({ lanes, cause }: DeadlockPicture): Element {
  const height = lanes.length * LANE + 12;
  const parts = lanes.flatMap(({ rank, state, text, line }, i) => {
    const y = 26 + i * LANE;
    const waits = state === 'waits';
    const end = waits ? LINE : 120;
    const where = line === undefined ? '' : `line ${line}: `;
    return [
      svg('text', { x: 0, y: y + 4, class: 'lane' }, `rank ${rank}`),
      svg('line', { x1: 60, y1: y, x2: end, y2: y, class: waits ? 'rail' : 'rail gone' }),
      ...(waits
        ? [svg('circle', { cx: LINE, cy: y, r: 5, class: 'stands' })]
        : [
            svg('path', { d: `M ${end - 5} ${y - 5} l 10 10 m 0 -10 l -10 10`, class: 'ended' }),
            svg('line', { x1: end + 8, y1: y, x2: LINE, y2: y, class: 'edge' }),
          ]),
      svg('text', { x: LINE + 14, y: y + 4, class: waits ? 'does start' : 'lacks' }, waits ? `${where}${text}` : text),
    ];
  });
  return svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${height}`, class: 'picture deadlock', role: 'img' },
    svg('title', {}, `${cause} ${lanes.map(({ rank, text }) => `Rank ${rank}: ${text}.`).join(' ')}`),
    svg('line', { x1: LINE, y1: 8, x2: LINE, y2: height - 8, class: 'barrier' }),
    ...parts,
  );
}

/** The lines where ranks wait, each with its ranks. */
export function waitsList({ lanes }: DeadlockPicture, onLine: (line: number) => void): HTMLElement {
  const list = h('ul', { class: 'places' });
  const lines = [...new Set(lanes.flatMap(({ line }) => line ?? []))];
  for (const line of lines) {
    const ranks = lanes.filter((one) => one.line === line).map(({ rank }) => rank);
    const who = ranks.length === 1 ? `rank ${ranks[0]} waits at ` : `ranks ${ranks.join(', ')} wait at `;
    list.append(
      h(
        'li',
        {},
        who,
        button(`line ${line}`, () => onLine(line), { class: 'link' }),
      ),
    );
  }
  return list;
}
