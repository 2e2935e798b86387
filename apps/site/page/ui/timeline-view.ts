import type { RunResult } from '../protocol.ts';
import { button, h, parsedSvg, svg } from './dom.ts';
import { openInPerfetto } from './perfetto.ts';

export interface TimelineActions {
  readonly onLine: (line: number) => void;
  /** Draws the same timeline with another width. */
  readonly draw: (width: number) => Promise<string>;
  /** The timeline as a trace that Perfetto reads. */
  readonly trace: () => Promise<string>;
}

const FACTOR = 1.6;
const WIDEST = 16_000;

/**
 * The timeline, which one can zoom. A click on a slice whose title names a line of the program
 * shows that line.
 */
export function timelineView(
  { svg: first, ranOn }: RunResult,
  { onLine, draw, trace }: TimelineActions,
  file: string,
): HTMLElement {
  if (first === '') {
    const why = ranOn === undefined ? 'the program launched nothing' : 'only the simulator keeps one';
    return h('p', { class: 'quiet' }, `There is no timeline: ${why}.`);
  }
  const region = h('div', { class: 'timeline scroll', tabindex: '0', role: 'region', 'aria-label': 'timeline' });
  const status = h('span', { class: 'quiet', role: 'status' });
  let follow = (): void => {};
  const show = (text: string): void => {
    const picture = drawingOf(text, onLine, file);
    const labels = labelsOf(picture);
    follow = () => labels?.setAttribute('transform', `translate(${region.scrollLeft} 0)`);
    region.replaceChildren(...[axisOf(picture), picture].filter((one) => one !== undefined));
    follow();
  };
  region.addEventListener('scroll', () => follow());
  show(first);
  const start = Number(region.querySelector('svg')?.getAttribute('width'));
  let width = start;
  /** The point under the pointer, or the middle, keeps its position. */
  const zoom = async (to: number, x = region.clientWidth / 2): Promise<void> => {
    const next = Math.round(Math.max(start, Math.min(WIDEST, to)));
    if (next === width) return;
    const share = (region.scrollLeft + x) / width;
    width = next;
    try {
      show(next === start ? first : await draw(next));
      region.scrollLeft = share * next - x;
    } catch (error) {
      status.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  region.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      void zoom(width * (event.deltaY < 0 ? FACTOR : 1 / FACTOR), event.clientX - region.getBoundingClientRect().left);
    },
    { passive: false },
  );
  const bar = h(
    'div',
    { class: 'row', role: 'group', 'aria-label': 'Timeline' },
    button('Zoom in', () => void zoom(width * FACTOR), { title: 'Ctrl and the wheel' }),
    button('Zoom out', () => void zoom(width / FACTOR)),
    button('Whole', () => void zoom(start)),
    button('Open in Perfetto', () => openInPerfetto(trace, (text) => (status.textContent = text)), {
      title: 'Opens ui.perfetto.dev in a tab, and sends the trace to it',
    }),
    button('Download the trace', () => void download(trace)),
    status,
  );
  return h('div', {}, bar, region);
}

async function download(trace: () => Promise<string>): Promise<void> {
  const url = URL.createObjectURL(new Blob([await trace()], { type: 'application/json' }));
  h('a', { href: url, download: 'timeline.json' }).click();
  URL.revokeObjectURL(url);
}

/** A drawing whose slices lead to the lines of the program that their titles name. */
function drawingOf(text: string, onLine: (line: number) => void, file: string): Element {
  const picture = parsedSvg(text);
  const bars: SVGElement[] = [];
  for (const title of picture.querySelectorAll('title')) {
    const line = new RegExp(`${file.replace('.', '\\.')}:(\\d+)`).exec(title.textContent ?? '')?.[1];
    const bar = title.parentElement;
    if (line === undefined || !(bar instanceof SVGElement) || bar === picture) continue;
    bar.setAttribute('data-line', line);
    bar.setAttribute('role', 'button');
    bar.setAttribute('tabindex', bars.length === 0 ? '0' : '-1');
    bar.addEventListener('click', () => onLine(Number(line)));
    bars.push(bar);
  }
  if (bars.length > 0) {
    // A picture has no parts that can be chosen.
    picture.setAttribute('role', 'group');
    picture.addEventListener('keydown', (event) => {
      const at = bars.findIndex((bar) => bar === document.activeElement);
      if (at === -1 || !(event instanceof KeyboardEvent)) return;
      const to = event.key === 'ArrowRight' ? at + 1 : event.key === 'ArrowLeft' ? at - 1 : undefined;
      if (event.key === 'Enter') {
        // The editor gets the focus, and must not take the key as well.
        event.preventDefault();
        onLine(Number(bars[at]?.getAttribute('data-line')));
      }
      const next = to === undefined ? undefined : bars[to];
      if (next === undefined) return;
      event.preventDefault();
      bars[at]?.setAttribute('tabindex', '-1');
      next.setAttribute('tabindex', '0');
      next.focus();
    });
  }
  return picture;
}

/** The names of the lanes, drawn again in front of them, so that they can stay in view. */
function labelsOf(picture: Element): Element | undefined {
  const lane = picture.querySelector('rect.lane');
  const [, height] = sizeOf(picture);
  if (lane === null || height === undefined) return undefined;
  const width = Number(lane.getAttribute('x')) - 4;
  const names = [...picture.querySelectorAll('text.rank, .group text.muted, .link text.muted')];
  const ground = svg('rect', { class: 'ground', width, height });
  const labels = svg(
    'g',
    { class: 'lane-names', 'aria-hidden': 'true' },
    ground,
    ...names.map((one) => one.cloneNode(true)),
  );
  picture.append(labels);
  return labels;
}

/** The axis of a drawing, which stays in view while the lanes scroll. */
function axisOf(picture: Element): Element | undefined {
  const axis = picture.querySelector('.axis');
  const style = picture.querySelector('style');
  const texts = [...(axis?.querySelectorAll('text') ?? [])];
  const [width] = sizeOf(picture);
  if (axis === null || style === null || width === undefined || texts.length === 0) return undefined;
  const height = Math.max(...texts.map((one) => Number(one.getAttribute('y')))) + 6;
  const made = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, class: 'nccl-ts-timeline sticky-axis' });
  made.setAttribute('aria-hidden', 'true');
  made.append(style.cloneNode(true), axis.cloneNode(true));
  // The times stand once: the picture keeps its lines.
  for (const text of texts) text.remove();
  return made;
}

/** The width and the height of a drawing. */
function sizeOf(picture: Element): readonly string[] {
  return (picture.getAttribute('viewBox') ?? '').split(' ').slice(2);
}
