import type { RunResult } from '../protocol.ts';
import { h, parsedSvg } from './dom.ts';

/** The timeline. A click on a slice whose title names a line of the program shows that line. */
export function timelineView(
  { svg: text, ranOn }: RunResult,
  onLine: (line: number) => void,
  file: string,
): HTMLElement {
  if (text === '') {
    const why = ranOn === undefined ? 'the program launched nothing' : 'only the simulator keeps one';
    return h('p', { class: 'quiet' }, `There is no timeline: ${why}.`);
  }
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
  return h('div', { class: 'timeline scroll', tabindex: '0', role: 'region', 'aria-label': 'timeline' }, picture);
}
