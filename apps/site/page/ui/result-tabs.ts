import { button, h } from './dom.ts';

let groups = 0;

/**
 * Tabs above one panel. One of them is in the order of the Tab key; the arrow keys, Home and End
 * lead from there to the others.
 */
export class ResultTabs<Name extends string> {
  readonly list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Results' });
  readonly panel = h('div', { class: 'panel', role: 'tabpanel', tabindex: '0' });
  readonly #onSelect: (name: Name) => void;
  readonly #id = `results-${groups++}`;
  #names: readonly (readonly [name: Name, text: string])[] = [];
  #shown: Name | undefined;

  constructor(onSelect: (name: Name) => void) {
    this.#onSelect = onSelect;
    this.panel.id = `${this.#id}-panel`;
    this.list.addEventListener('keydown', (event) => this.#onKey(event));
  }

  get shown(): Name | undefined {
    return this.#shown;
  }

  /** Shows these tabs, with one of them selected. */
  draw(names: readonly (readonly [name: Name, text: string])[], shown: Name): void {
    const hadFocus = this.list.contains(document.activeElement);
    this.#names = names;
    this.#shown = shown;
    this.list.replaceChildren(
      ...names.map(([name, text]) =>
        button(text, () => this.#onSelect(name), {
          role: 'tab',
          id: this.#idOf(name),
          'aria-selected': String(name === shown),
          'aria-controls': this.panel.id,
          'data-tab': name,
          tabindex: name === shown ? '0' : '-1',
        }),
      ),
    );
    this.panel.setAttribute('aria-labelledby', this.#idOf(shown));
    if (hadFocus) this.#focus(shown);
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#names.findIndex(([name]) => name === this.#shown);
    const count = this.#names.length;
    const to = { ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1 }[
      event.key
    ];
    const next = to === undefined ? undefined : this.#names[to];
    if (next === undefined) return;
    event.preventDefault();
    this.#onSelect(next[0]);
    this.#focus(next[0]);
  }

  #focus(name: Name): void {
    this.list.querySelector<HTMLElement>(`#${this.#idOf(name)}`)?.focus();
  }

  #idOf(name: Name): string {
    return `${this.#id}-${name}`;
  }
}
