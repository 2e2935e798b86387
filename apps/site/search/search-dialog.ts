import { h } from '../page/ui/dom.ts';
import { rankEntries, wordsOf, type SearchHit } from './rank-entries.ts';
import type { SearchEntry } from './search-entry.ts';

/** Opens a page of the site, whose address is relative to the site. */
type Visit = (url: string) => void;

/**
 * The search of all pages: `/` or Ctrl+K opens it, arrows choose, Enter visits. It loads its index
 * when it is opened first.
 */
export class SearchDialog {
  readonly #base: string;
  readonly #visit: Visit;
  readonly #dialog: HTMLDialogElement;
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #told: HTMLElement;
  #index: Promise<readonly SearchEntry[]> | undefined;
  #chosen = 0;

  constructor(base: string, visit: Visit) {
    this.#base = base;
    this.#visit = visit;
    this.#list = h('div', { id: 'search-hits', role: 'listbox', 'aria-label': 'Results' });
    this.#told = h('p', { role: 'status' });
    this.#input = h('input', {
      id: 'search-input',
      type: 'search',
      role: 'combobox',
      placeholder: 'Search documents, symbols and codes',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-label': 'Search',
      'aria-controls': 'search-hits',
      'aria-expanded': 'true',
      'aria-autocomplete': 'list',
    });
    this.#dialog = h('dialog', { class: 'site-search', 'aria-label': 'Search' }, this.#input, this.#told, this.#list);
    document.body.append(this.#dialog);
    this.#input.addEventListener('input', () => void this.#search());
    this.#dialog.addEventListener('keydown', (event) => this.#press(event));
    // The dialog covers itself with its content, so a click on it is one outside.
    this.#dialog.addEventListener('click', (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
    this.#list.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (link === null) return;
      event.preventDefault();
      event.stopPropagation();
      this.#go(link);
    });
    document.addEventListener('keydown', (event) => {
      const isKey = (event.ctrlKey || event.metaKey) && event.key === 'k';
      if (!isKey && (event.key !== '/' || isWriting(event.target))) return;
      event.preventDefault();
      this.open();
    });
  }

  open(): void {
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    this.#input.select();
    void this.#search();
  }

  async #search(): Promise<void> {
    this.#index ??= this.#load();
    const query = this.#input.value;
    const entries = await this.#index;
    if (query !== this.#input.value) return;
    const hits = rankEntries(entries, query);
    this.#list.replaceChildren(...hits.map((hit, i) => this.#row(hit, i, wordsOf(query))));
    this.#told.textContent = hits.length === 0 && query.trim() !== '' ? `No results for “${query.trim()}”.` : '';
    this.#choose(0);
  }

  async #load(): Promise<readonly SearchEntry[]> {
    const response = await fetch(`${this.#base}assets/search.json`);
    // The site's build writes this file from `SearchEntry`s.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the build writes this file
    return (await response.json()) as readonly SearchEntry[];
  }

  #row({ entry, excerpt }: SearchHit, i: number, words: readonly string[]): HTMLElement {
    const { url, page, heading, kind } = entry;
    return h(
      'a',
      { href: this.#base + url, role: 'option', id: `search-hit-${i}`, tabindex: '-1', 'aria-selected': 'false' },
      h('b', {}, ...marked(heading, words)),
      h('small', {}, heading === page ? kind : `${page} · ${kind}`),
      h('span', {}, ...marked(excerpt, words)),
    );
  }

  #press(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const count = this.#list.children.length;
      if (count > 0) this.#choose((this.#chosen + step + count) % count);
    } else if (event.key === 'Enter') {
      const link = this.#list.children[this.#chosen];
      event.preventDefault();
      if (link instanceof HTMLAnchorElement) this.#go(link);
    }
  }

  #choose(index: number): void {
    this.#chosen = index;
    for (const [i, row] of [...this.#list.children].entries()) {
      row.setAttribute('aria-selected', String(i === index));
      if (i === index) row.scrollIntoView({ block: 'nearest' });
    }
    this.#input.setAttribute('aria-activedescendant', this.#list.children[index]?.id ?? '');
  }

  #go(link: HTMLAnchorElement): void {
    this.#dialog.close();
    this.#visit(link.href);
  }
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}

/** The text with its matches marked. */
function marked(text: string, words: readonly string[]): readonly (string | HTMLElement)[] {
  if (words.length === 0) return [text];
  return text
    .split(new RegExp(`(${words.join('|')})`, 'giu'))
    .map((part, i) => (i % 2 === 1 ? h('mark', {}, part) : part));
}
