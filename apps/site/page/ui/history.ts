import type { CellWriter, History } from '../protocol.ts';
import { button, caption, h } from './dom.ts';
import { stepBar, type StepActions, type Stepped } from './step-bar.ts';

/**
 * The memory of all ranks, turn by turn. For each cell it shows the writer, the turn and the source
 * line.
 */
export function historyView({ windows, turns }: History, ranks: number, { onLine, onStep }: StepActions): Stepped {
  if (turns.length === 0 || windows.length === 0) {
    const root = h('p', { class: 'quiet' }, 'No turn of this run has written to a window.');
    return { root, count: 0, go: () => {} };
  }
  const tables = h('div', {});
  const who = h('p', { class: 'who', role: 'status' });
  const cell = h('p', { class: 'who quiet' }, 'Choose a cell to see who wrote it.');
  const colours = coloursOf(turns.flatMap(({ writes }) => writes));
  const draw = (step: number): void => {
    const state = new Map<string, CellWriter & { readonly turn: number }>();
    for (const [turn, { writes }] of turns.slice(0, step + 1).entries()) {
      for (const write of writes) state.set(keyOf(write), { ...write, turn });
    }
    const now = turns[step];
    const lines = [...new Set(now?.writes.flatMap(({ line }) => line ?? []))];
    who.textContent = sentenceOf(now, lines);
    tables.replaceChildren(
      ...windows.map((window, index) => {
        const rows = Array.from({ length: ranks }, (_, rank) => {
          const cells = Array.from({ length: window.count }, (_cell, element) => {
            const found = state.get(keyOf({ window: index, rank, element }));
            const attributes = found === undefined ? {} : { 'data-colour': String(colours.get(found.value)) };
            const made = h('td', { ...attributes, ...(found?.turn === step ? { class: 'now' } : {}) });
            if (found === undefined) return made;
            const text = writerText(found);
            made.append(
              button(found.value, () => choose(text, found.line), { class: 'cell', title: text, 'aria-label': text }),
            );
            return made;
          });
          return h('tr', {}, h('th', { scope: 'row' }, `rank ${rank}`), ...cells);
        });
        const more = window.all > window.count ? `, the first ${window.count} of ${window.all}` : '';
        return h(
          'div',
          { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `${window.name} over time` },
          h(
            'table',
            { class: 'memory' },
            caption(`${capital(window.name)}: ${window.all} ${window.type} on each rank${more}.`),
            h('tbody', {}, ...rows),
          ),
        );
      }),
    );
    onStep(step, lines);
  };
  const choose = (text: string, line: number | undefined): void => {
    cell.replaceChildren(text, ' ');
    if (line !== undefined) cell.append(button('Go there', () => onLine(line), { class: 'link' }));
  };
  const bar = stepBar('Turn', turns.length, draw);
  return { root: h('div', { class: 'history' }, bar.root, who, tables, cell), count: turns.length, go: bar.go };
}

function sentenceOf(turn: History['turns'][number] | undefined, lines: readonly number[]): string {
  if (turn === undefined) return '';
  const { who, writes } = turn;
  if (writes.length === 0) return `${capital(who)}: wrote to no window in this turn.`;
  const where = lines.length === 0 ? '' : ` from line ${lines.join(', ')}`;
  return `${capital(who)}: wrote ${writes.length} element${writes.length === 1 ? '' : 's'}${where}.`;
}

function keyOf({ window, rank, element }: Pick<CellWriter, 'window' | 'rank' | 'element'>): string {
  return `${window} ${rank} ${element}`;
}

function writerText({ rank, element, value, by, line, also, turn }: CellWriter & { readonly turn: number }): string {
  const where = line === undefined ? '' : `, line ${line}`;
  const unordered = also.length === 0 ? '' : ` Nothing orders this after a write by ${also.join(' and ')}.`;
  return `Element ${element} of rank ${rank} is ${value}: written by ${by} in turn ${turn + 1}${where}.${unordered}`;
}

function coloursOf(writes: readonly CellWriter[]): ReadonlyMap<string, number> {
  const colours = new Map<string, number>();
  for (const { value } of writes) if (!colours.has(value)) colours.set(value, colours.size % 8);
  return colours;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
