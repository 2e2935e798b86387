import type { FindingJson, Fix, LabelJson, LocationJson } from '@nccl-ts/findings';
import type { CheckResult, MemoryRow, RunResult } from '../protocol.ts';
import type { LineMark } from './editor.ts';
import { button, caption, h, parsedSvg, svg } from './dom.ts';

export interface ResultActions {
  /** Called to show a line of the program. */
  readonly onLine: (line: number) => void;
  /** Absent if the wrong text cannot be edited here. */
  readonly onFix?: (fixes: readonly Fix[]) => void;
  readonly onShow: (finding: FindingJson) => void;
  readonly onReplay?: (choices: string) => void;
}

/** The author's line for a source location: the line of the outermost call. */
export function outermost(location: LocationJson): LocationJson {
  return location.inlinedAt === undefined ? location : outermost(location.inlinedAt);
}

/** The line of a label in `file`; `undefined` if the label is in another file. */
function lineIn(label: LabelJson | undefined, file: string): LocationJson | undefined {
  if (label?.place === undefined) return undefined;
  const location = outermost(label.place);
  return location.file === file ? location : undefined;
}

/** The two accesses of a finding, as marks in the text. */
export function marksOf(finding: FindingJson, file: string): readonly LineMark[] {
  return finding.labels.slice(0, 2).flatMap((label, index) => {
    const location = lineIn(label, file);
    if (location === undefined) return [];
    const { line, column, endColumn } = location;
    return [{ line, column, endColumn, label: `${index + 1}`, kind: index === 0 ? 'first' : 'second' } as const];
  });
}

/** A sentence of a report that begins with a capital, and ends. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** The findings of a check, as cards. */
export function findingCards(result: CheckResult, file: string, actions: ResultActions): HTMLElement {
  const { findings } = result.report;
  if (findings.length === 0) {
    return h('div', { class: 'calm' }, h('p', {}, 'No findings.'), h('p', { class: 'proof' }, sentence(result.proof)));
  }
  const list = h('ol', { class: 'findings' });
  findings.forEach((finding, index) => {
    list.append(h('li', { id: `finding-${index}` }, card(finding, result.fixes[index] ?? [], file, actions)));
  });
  return h('div', {}, h('h2', { class: 'hidden' }, 'Findings'), list);
}

function card(finding: FindingJson, fixes: readonly Fix[], file: string, actions: ResultActions): HTMLElement {
  const heading = h('h3', {}, h('span', { class: `kind ${finding.severity}` }, finding.kind), ` ${finding.message}`);
  const places = h('ul', { class: 'places' });
  finding.labels.slice(0, 2).forEach((label, index) => {
    const location = lineIn(label, file);
    const does = label.does.replace(/^host /, '');
    const who = `${label.agent === 'host' ? 'host of rank' : 'rank'} ${label.rank}: ${does}`;
    const number = h('span', { class: index === 0 ? 'number first' : 'number second' }, `${index + 1}`);
    const where =
      location === undefined
        ? h(
            'span',
            { class: 'quiet' },
            label.agent === 'host' ? 'in the host program' : label.place === undefined ? '' : locationText(label.place),
          )
        : button(`line ${location.line}`, () => actions.onLine(location.line), { class: 'link' });
    const code = location === undefined ? undefined : h('code', {}, location.text.trim());
    places.append(h('li', {}, number, ' ', who, ' ', where, code));
  });
  const missing = finding.missing.map(({ message }) => h('p', { class: 'missing' }, h('b', {}, 'Missing: '), message));
  const row = h('div', { class: 'row' });
  const { onFix } = actions;
  if (fixes.length > 0 && onFix !== undefined) {
    const title = fixes.map((fix) => fix.title).join(', then ');
    row.append(button(`Fix: ${title}`, () => onFix(fixes), { class: 'fix' }));
  }
  row.append(button('Show the lines', () => actions.onShow(finding)));
  const { choices } = finding.schedule;
  const { onReplay } = actions;
  if (choices !== undefined && onReplay !== undefined) {
    row.append(button('Check this schedule alone', () => onReplay(choices)));
  }
  return h(
    'article',
    { class: 'finding', 'data-kind': finding.kind },
    heading,
    pictureOf(finding),
    places,
    ...missing,
    row,
  );
}

function locationText(location: LocationJson): string {
  const { file, line } = outermost(location);
  return file === undefined ? '' : `${file.split('/').at(-1)}:${line}`;
}

/** Draws two lanes with the accesses, and the missing edge between them. */
function pictureOf(finding: FindingJson): Element | undefined {
  const [second, first] = finding.labels;
  if (first === undefined || second === undefined || finding.missing.length === 0) return undefined;
  const lane = (label: LabelJson, y: number, number: string, kind: string): SVGElement[] => [
    svg(
      'text',
      { x: 0, y: y + 4, class: 'lane' },
      label.agent === 'host' ? `host ${label.rank}` : `rank ${label.rank}`,
    ),
    svg('line', { x1: 60, y1: y, x2: 420, y2: y, class: 'rail' }),
    svg('rect', { x: kind === 'second' ? 80 : 250, y: y - 13, width: 150, height: 26, rx: 4, class: `access ${kind}` }),
    svg('text', { x: (kind === 'second' ? 80 : 250) + 75, y: y + 4, class: 'does' }, `${number} ${label.does}`),
  ];
  const what = finding.missing[0]?.kind ?? '';
  return svg(
    'svg',
    { viewBox: '0 0 430 100', class: 'picture', role: 'img' },
    svg(
      'title',
      {},
      `${first.does} of rank ${first.rank} and ${second.does} of rank ${second.rank}: no order between them`,
    ),
    ...lane(first, 22, '2', 'second'),
    ...lane(second, 78, '1', 'first'),
    svg('path', { d: 'M 230 24 C 245 30, 240 66, 250 74', class: 'edge' }),
    svg('text', { x: 255, y: 54, class: 'lacks' }, `missing: ${words[what] ?? what}`),
  );
}

const words: Readonly<Record<string, string>> = {
  synchronisation: 'a barrier or flag',
  release: 'release',
  acquire: 'acquire',
  scope: 'a wider scope',
  'coop-sync': 'a CTA barrier',
  strong: 'ordered accesses',
  completion: 'a wait for completion',
  'proxy-fence': 'a proxy fence',
};

/** The memory of all ranks at the end, with a row of cells for each rank, coloured by value. */
export function memoryTable(rows: readonly MemoryRow[]): HTMLElement {
  const windows = grouped(rows);
  const parts = [...windows].map(([window, own]) => {
    const colours = new Map<string, string>();
    for (const { values } of own)
      for (const value of values) if (!colours.has(value)) colours.set(value, String(colours.size % 8));
    const body = own
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ rank, values }) => {
        const cells = values.map((value, index) => {
          const colour = colours.get(value);
          const attributes = {
            ...(colour === undefined ? {} : { 'data-colour': colour }),
            title: `element ${index} of rank ${rank}: ${value}`,
          };
          return h('td', attributes, value);
        });
        return h('tr', {}, h('th', { scope: 'row' }, `rank ${rank}`), ...cells);
      });
    const { type = '', count = 0, values = [] } = own[0] ?? {};
    const more = count > values.length ? `, the first ${values.length} of ${count}` : '';
    const title = `Window ${window}: ${count} ${type} on each rank${more}. Equal colours mean equal values.`;
    return h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `memory of window ${window}` },
      h('table', { class: 'memory' }, caption(title), h('tbody', {}, ...body)),
    );
  });
  if (parts.length === 0) return h('p', { class: 'quiet' }, 'The program has no windows left at its end.');
  return h('div', {}, ...parts);
}

function grouped(rows: readonly MemoryRow[]): Map<number, MemoryRow[]> {
  const map = new Map<number, MemoryRow[]>();
  for (const row of rows) map.set(row.window, [...(map.get(row.window) ?? []), row]);
  return map;
}

export function returnedValues({ results, log }: RunResult): HTMLElement {
  const rows = results.map((text, rank) =>
    h('tr', {}, h('th', { scope: 'row' }, `rank ${rank}`), h('td', {}, h('code', {}, text))),
  );
  return h(
    'div',
    {},
    rows.length === 0
      ? undefined
      : h(
          'table',
          { class: 'returned' },
          caption('The value that the host program of each rank returned'),
          h('tbody', {}, ...rows),
        ),
    log.length === 0 ? undefined : h('pre', { class: 'log', tabindex: '0' }, log.join('\n')),
  );
}

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
