import type { FindingJson, Fix, LabelJson, LocationJson } from '@nccl-ts/findings';
import type { CheckResult, DeadlockPicture, MemoryRow, RunResult } from '../protocol.ts';
import { deadlockDrawing, waitsList } from './deadlock-view.ts';
import type { LineMark } from './editor.ts';
import { button, caption, h, svg } from './dom.ts';
import { explanationLink } from './explanations.ts';

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

/** The findings in the order of the page: a deadlock from which others may follow comes first. */
export function inOrder({ report: { findings }, deadlocks }: CheckResult): readonly number[] {
  const all = findings.map((_, index) => index);
  const leads = (index: number): boolean => deadlocks[index]?.leads === true;
  return [...all.filter(leads), ...all.filter((index) => !leads(index))];
}

/** The findings of a check, as cards. */
export function findingCards(result: CheckResult, file: string, actions: ResultActions): HTMLElement {
  const { findings } = result.report;
  if (findings.length === 0) {
    return h('div', { class: 'calm' }, h('p', {}, 'No findings.'), h('p', { class: 'proof' }, sentence(result.proof)));
  }
  const list = h('ol', { class: 'findings' });
  const isFollowed = findings.length > 1 && result.deadlocks.some((one) => one?.leads === true);
  for (const index of inOrder(result)) {
    const finding = findings[index];
    if (finding === undefined) continue;
    const { [index]: deadlock } = result.deadlocks;
    const made = card(finding, { fixes: result.fixes[index] ?? [], deadlock }, file, actions);
    if (isFollowed && deadlock === undefined) {
      made.prepend(h('p', { class: 'quiet' }, 'This may follow from the deadlock: mend that first.'));
    }
    list.append(h('li', { id: `finding-${index}` }, made));
  }
  return h('div', {}, h('h2', { class: 'hidden' }, 'Findings'), list);
}

interface CardFacts {
  readonly fixes: readonly Fix[];
  readonly deadlock: DeadlockPicture | undefined;
}

function card(finding: FindingJson, { fixes, deadlock }: CardFacts, file: string, actions: ResultActions): HTMLElement {
  const headline = deadlock?.cause ?? finding.message;
  const heading = h('h3', {}, h('span', { class: `kind ${finding.severity}` }, finding.kind), ` ${headline}`);
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
  const [lacks] = finding.missing;
  row.append(
    explanationLink(
      lacks === undefined || finding.kind !== 'race' ? finding.kind : `race/${lacks.kind}`,
      'What this means',
    ),
  );
  const body: readonly (Element | undefined)[] =
    deadlock === undefined
      ? [pictureOf(finding), places, ...missing]
      : [
          deadlockDrawing(deadlock),
          waitsList(deadlock, actions.onLine),
          deadlock.help === undefined ? undefined : h('p', { class: 'missing' }, deadlock.help),
        ];
  return h('article', { class: 'finding', 'data-kind': finding.kind }, heading, ...body, row);
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
  const what = [...new Set(finding.missing.map(({ kind }) => words[kind] ?? kind))].join(' and ');
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
    svg('text', { x: 255, y: 54, class: 'lacks' }, `missing: ${what}`),
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
