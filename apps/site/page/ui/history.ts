import '../common.ts';
import type { CellWriter, Executions, History, OpenRead } from '../protocol.ts';
import { button, h } from './dom.ts';

/** A view with steps, whose position can be part of a link. */
export interface Stepped {
  readonly root: HTMLElement;
  readonly count: number;
  go(step: number): void;
}

export interface StepActions {
  readonly onLine: (line: number) => void;
  /** Called to mark lines without scrolling to them. */
  readonly onStep: (step: number, lines: readonly number[]) => void;
}

/** A bar for steps: a slider between two buttons. */
function stepBar(name: string, count: number, show: (step: number) => void): Pick<Stepped, 'root' | 'go'> {
  const slider = h('input', { type: 'range', min: '0', max: String(count - 1), value: '0', 'aria-label': name });
  const told = h('output', {});
  const go = (step: number): void => {
    const at = Math.max(0, Math.min(count - 1, step));
    slider.value = String(at);
    told.textContent = `${name} ${at + 1} of ${count}`;
    slider.setAttribute('aria-valuetext', told.textContent);
    show(at);
  };
  slider.addEventListener('input', () => go(Number(slider.value)));
  const root = h(
    'div',
    { class: 'steps' },
    button('‹', () => go(Number(slider.value) - 1), { 'aria-label': `${name} before` }),
    slider,
    button('›', () => go(Number(slider.value) + 1), { 'aria-label': `${name} after` }),
    told,
  );
  return { root, go };
}

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
          const cells = Array.from({ length: window.count }, (_, element) => {
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
            h('caption', {}, `${capital(window.name)}: ${window.all} ${window.type} on each rank${more}.`),
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

/**
 * The executions that the memory model allows. For each open read it shows the write that it
 * returned, and the alternatives.
 */
export function executionsView({ executions, complete }: Executions, { onLine, onStep }: StepActions): Stepped {
  const list = h('div', {});
  const about = h('p', { class: 'who', role: 'status' });
  const draw = (step: number): void => {
    const now = executions[step];
    if (now === undefined) return;
    const races = now.races === 0 ? 'no race' : `${now.races} race${now.races === 1 ? '' : 's'}`;
    const none = now.reads.length === 0 ? ' Every read returns the same write in all executions.' : '';
    about.textContent = `This execution has ${races}${now.isStuck ? ', and threads that wait forever' : ''}.${none}`;
    list.replaceChildren(
      h('ul', { class: 'reads' }, ...now.reads.map((read) => h('li', {}, ...readView(read, onLine)))),
    );
    onStep(
      step,
      now.reads.flatMap(({ line }) => line ?? []),
    );
  };
  const bar = stepBar('Execution', executions.length, draw);
  const all = complete ? 'These are all.' : 'There are more, but the page stops here.';
  const root =
    executions.length === 0
      ? h('p', { class: 'quiet' }, 'No execution was found within the limits of this page.')
      : h('div', { class: 'history' }, bar.root, about, list, h('p', { class: 'quiet' }, all));
  return { root, count: executions.length, go: bar.go };
}

function readView({ who, where, value, took, others, line }: OpenRead, onLine: (line: number) => void): Node[] {
  const place = line === undefined ? '' : button(`line ${line}`, () => onLine(line), { class: 'link' });
  return [
    h('p', {}, h('b', {}, value), ` read by ${who}, from ${where} `, place),
    h('p', {}, `It took ${took}.`),
    h('p', { class: 'quiet' }, `It might have taken ${others.join('; or ')}.`),
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
