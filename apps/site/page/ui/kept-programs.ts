import { examples } from '../examples.ts';
import { h } from './dom.ts';
import { isObject, Kept } from './kept.ts';

/** A program of the playground and the machine for it. */
export interface Program {
  readonly text: string;
  readonly ranks: number;
  readonly nodes: number;
  readonly seed: number;
}

/** True for a program that the reader, or the sender of a link, has written. */
export function isOwn(text: string): boolean {
  return text.trim() !== '' && examples.every((one) => one.text !== text);
}

/** The programs that the reader has written in the playground of this browser. */
export class KeptPrograms {
  readonly #kept = new Kept<Program>('playground', isProgram);
  readonly #menu = h('select', { 'aria-label': 'Your programs', id: 'earlier' });
  readonly #label = h('label', {}, h('span', {}, 'Your programs'), this.#menu);

  /** The program of this tab before a reload. */
  get resumed(): Program | undefined {
    return this.#kept.resumed;
  }

  /** The program of the last visit. */
  get last(): Program | undefined {
    return this.#kept.last;
  }

  /** The program in the state of a step of the browser's history. */
  static programIn(state: unknown): Program | undefined {
    const found = isObject(state) ? state['program'] : undefined;
    return isProgram(found) ? found : undefined;
  }

  /** Puts the program of the last visit aside, if the page begins with another one. */
  replaces(text: string): void {
    const { last } = this;
    if (last !== undefined && last.text !== text) this.putAside(last);
  }

  /** Keeps the program as it is when the reader pauses. */
  keep(program: () => Program): void {
    this.#kept.keep(program);
  }

  /** Puts a program aside that another one replaces. Examples stay in their own menu. */
  putAside(program: Program): void {
    if (!isOwn(program.text)) return;
    this.#kept.putAside(program, titleOf(program.text));
    this.#draw();
  }

  /** The menu of the programs put aside. It is hidden as long as there is none. */
  menu(onChoose: (program: Program) => void): HTMLElement {
    this.#menu.addEventListener('change', () => {
      const chosen = this.#kept.earlier[Number(this.#menu.value)];
      if (chosen !== undefined) onChoose(chosen.state);
      this.#draw();
    });
    this.#draw();
    return this.#label;
  }

  #draw(): void {
    const { earlier } = this.#kept;
    this.#label.hidden = earlier.length === 0;
    this.#menu.replaceChildren(
      h('option', { value: '' }, `${earlier.length} kept`),
      ...earlier.map(({ at, title }, index) => h('option', { value: String(index) }, `${timeOf(at)} ${title}`)),
    );
  }
}

function isProgram(value: unknown): value is Program {
  return (
    isObject(value) &&
    typeof value['text'] === 'string' &&
    ['ranks', 'nodes', 'seed'].every((name) => Number.isInteger(value[name]))
  );
}

/** The name of a program's first kernel, or its first line. */
function titleOf(text: string): string {
  const kernel = /\bconst\s+(\w+)\s*=\s*kernel\b/.exec(text)?.[1];
  return kernel ?? text.trim().split('\n', 1)[0]?.slice(0, 40) ?? '';
}

function timeOf(at: number): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const options = isToday ? {} : ({ month: 'short', day: 'numeric' } as const);
  return date.toLocaleString('en', { ...options, hour: '2-digit', minute: '2-digit', hour12: false });
}
