import type { LaunchChange, LaunchField, LaunchForm, LaunchKind, LaunchParameter } from '../protocol.ts';
import { button, h } from './dom.ts';

export interface LaunchFieldsOptions {
  readonly root: HTMLElement;
  /** Called to replace a part of the text of the launch. */
  readonly onEdit: (start: number, end: number, insert: string) => void;
  readonly onChange: (change: LaunchChange) => void;
}

const kinds: Readonly<Record<LaunchKind, string>> = {
  buffer: 'a buffer',
  scalar: 'a scalar',
  peers: 'pointers to the peers',
  bytes: 'the bytes of a struct',
  struct: 'a struct',
  other: 'an expression',
  missing: 'missing',
  ask: 'to be filled in',
};
const choices = ['buffer', 'scalar', 'peers', 'bytes'] as const;
/** Begins the value of a choice that names memory. */
const SAME = 'same ';

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The launch of a PTX entry as fields. Every field is a range of the text of the launch. */
export class LaunchFields {
  readonly #root: HTMLElement;
  readonly #onEdit: LaunchFieldsOptions['onEdit'];
  readonly #onChange: LaunchFieldsOptions['onChange'];
  #inputs: { readonly input: Input; field: LaunchField }[] = [];
  /** The shape of the fields that are shown. The inputs are made anew only if it changes. */
  #shape = '';
  /** True during a change that a field makes. */
  #isEditing = false;
  /** True if a field has made the last change of the text. */
  #isOwn = false;
  /** The form to show when the reader leaves the field. */
  #later: LaunchForm | undefined;
  readonly #problem = h('p', { class: 'launch-problem', role: 'status', hidden: '' });

  constructor({ root, onEdit, onChange }: LaunchFieldsOptions) {
    this.#root = root;
    this.#onEdit = onEdit;
    this.#onChange = onChange;
    // The next element has the focus only after this event.
    root.addEventListener('focusout', () => setTimeout(() => this.#later !== undefined && this.show(this.#later)));
  }

  /** Goes to the first value that the text asks for. Returns false if it has all. */
  askNext(): boolean {
    const [first] = this.#root.querySelectorAll<HTMLInputElement>('input.asked');
    first?.focus();
    return first !== undefined;
  }

  /** Called after each change of the text. The fields know their places after their own. */
  textChanged(): void {
    this.#isOwn = this.#isEditing;
  }

  /**
   * Shows the fields of a text. An input that has the focus keeps its own text. A value that is not
   * written completely leaves no text that can be read, and the fields stay as they are.
   */
  show(form: LaunchForm): void {
    this.#problem.hidden = true;
    if (form.problem !== undefined && this.#isOwn && this.#inputs.length > 0) {
      this.#problem.textContent = `The launch cannot be read: ${form.problem}. Complete the value.`;
      this.#problem.hidden = false;
      return;
    }
    const fields = [
      ...form.fields,
      ...form.parameters.flatMap((one) => one.fields),
      ...form.memory.flatMap((one) => one.fields),
    ];
    const shape = JSON.stringify([
      form.problem,
      form.note,
      form.memory.map(({ name, isUsed }) => [name, isUsed]),
      form.entries,
      fields.map(({ label, options, ask, candidates }) => [label, options, ask, candidates]),
      form.parameters.map(({ kind, about, name, memory }) => [kind, about, name, memory]),
      form.buffers,
    ]);
    this.#later = undefined;
    if (shape !== this.#shape && this.#isWriting) {
      // New inputs would take the focus from the one that is written.
      this.#later = form;
      return;
    }
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#inputs = [];
      this.#draw(form);
      return;
    }
    for (const [i, shown] of this.#inputs.entries()) {
      const field = fields[i];
      if (field === undefined) continue;
      shown.field = field;
      if (document.activeElement !== shown.input) shown.input.value = field.value;
    }
  }

  /** True while the reader writes in a field. */
  get #isWriting(): boolean {
    const { activeElement: focused } = document;
    return this.#isOwn && this.#inputs.some(({ input }) => input === focused && !(input instanceof HTMLSelectElement));
  }

  #draw({ problem, note, entries, buffers, fields, parameters, memory }: LaunchForm): void {
    if (problem !== undefined) {
      this.#root.replaceChildren(h('p', { class: 'quiet', role: 'status' }, problem));
      return;
    }
    const list = h('datalist', { id: 'entries' }, ...entries.map((value) => h('option', { value })));
    // The inputs are in the order of the form.
    const head = fields.map((field) => this.#field(field, ''));
    const rows = parameters.map((one, i) => this.#row(one, i, buffers));
    const others = memory.map(({ name, isUsed, fields: own }, i) =>
      h(
        'li',
        {},
        h('div', { class: 'launch-head' }, ...own.map((field) => this.#field(field, `Memory ${i}: `))),
        isUsed
          ? undefined
          : h(
              'p',
              { class: 'quiet' },
              'No argument points to it. ',
              button('Remove', () => this.#onChange({ remove: name }), {
                class: 'link',
                'aria-label': `Remove ${name}`,
              }),
            ),
      ),
    );
    const none = h('p', { class: 'quiet' }, note ?? 'The entry has no parameters.');
    this.#root.replaceChildren(
      this.#problem,
      list,
      h('div', { class: 'launch-head' }, ...head),
      h('h3', {}, 'Parameters'),
      rows.length === 0 ? none : h('ol', { class: 'launch-parameters', start: '0' }, ...rows),
      h('h3', {}, 'Memory that arguments point to'),
      ...(others.length === 0 ? [] : [h('ul', { class: 'launch-parameters' }, ...others)]),
      button('Add memory', () => this.#onChange({ add: 'memory' }), { id: 'add-memory' }),
    );
  }

  #row(
    { about, kind, fields, name: declared, memory }: LaunchParameter,
    parameter: number,
    buffers: readonly string[],
  ): HTMLElement {
    const options = choices.map((value) => h('option', { value }, kinds[value]));
    // A form that no choice leads to is shown, but cannot be chosen.
    const own =
      kind === 'struct' || kind === 'other' || kind === 'missing' || kind === 'ask'
        ? [h('option', { value: kind, disabled: '' }, kinds[kind])]
        : [];
    // Two pointers of a kernel may lead to the same memory.
    const others = buffers
      .filter((name) => name !== memory)
      .map((name) => h('option', { value: `${SAME}${name}` }, `the memory ${name}`));
    const select = h('select', { 'aria-label': `Form of parameter ${parameter}` }, ...own, ...options, ...others);
    select.value = kind;
    select.addEventListener('change', () => {
      const chosen = choices.find((one) => one === select.value);
      if (chosen !== undefined) this.#onChange({ parameter, kind: chosen });
      else if (select.value.startsWith(SAME)) this.#onChange({ parameter, same: select.value.slice(SAME.length) });
    });
    const name = `Parameter ${parameter}: `;
    return h(
      'li',
      {},
      h(
        'div',
        { class: 'launch-kind' },
        declared === undefined ? undefined : h('b', {}, declared),
        select,
        h('span', { class: 'quiet' }, about),
      ),
      h('div', { class: 'launch-head' }, ...fields.map((field) => this.#field(field, name))),
    );
  }

  #field(field: LaunchField, prefix: string): HTMLElement {
    const attributes = { 'aria-label': prefix + field.label, 'data-field': field.label };
    const input = inputFor(field, attributes);
    input.value = field.value;
    const shown = { input, field };
    this.#inputs.push(shown);
    input.addEventListener('input', () => this.#edit(shown, input.value));
    const isWide = input instanceof HTMLTextAreaElement || field.label === 'Entry' || field.label === 'Expected result';
    const { ask, candidates } = field;
    const list =
      ask === undefined || candidates === undefined
        ? undefined
        : h(
            'datalist',
            { id: `candidates-${this.#inputs.length}` },
            ...candidates.map((value) => h('option', { value })),
          );
    if (list !== undefined) input.setAttribute('list', list.id);
    return h('label', isWide ? { class: 'wide' } : {}, h('span', {}, field.label), input, list);
  }

  /** The text changes at once. The positions of the other fields move with it. */
  #edit(shown: { readonly input: Input; field: LaunchField }, value: string): void {
    const { around = ['', ''], ...kept } = shown.field;
    const { start, end, ask, empty } = kept;
    const [before, after] = around;
    const isEmpty = value === '' && empty !== undefined;
    const insert = isEmpty ? empty : before + value + after;
    shown.input.classList.toggle('asked', isEmpty && ask !== undefined);
    this.#later = undefined;
    this.#isEditing = true;
    this.#onEdit(start, end, insert);
    this.#isEditing = false;
    const moved = insert.length - (end - start);
    for (const other of this.#inputs) {
      const { field } = other;
      if (other === shown || field.start < end) continue;
      other.field = { ...field, start: field.start + moved, end: field.end + moved };
    }
    const from = start + before.length;
    shown.field = { ...kept, value, start: from, end: from + (isEmpty ? empty.length : value.length) };
  }
}

function inputFor(
  { label, value, options, ask, placeholder = '' }: LaunchField,
  attributes: Readonly<Record<string, string>>,
): Input {
  if (options !== undefined) {
    const all = options.includes(value) ? options : [value, ...options];
    return h('select', attributes, ...all.map((one) => h('option', { value: one }, one)));
  }
  if (value.includes('\n')) {
    return h('textarea', { ...attributes, rows: String(value.split('\n').length), spellcheck: 'false', wrap: 'off' });
  }
  if (ask !== undefined) {
    return h('input', { ...attributes, type: 'text', class: 'asked', placeholder: ask, spellcheck: 'false' });
  }
  const list = label === 'Entry' ? { list: 'entries' } : { placeholder };
  return h('input', { ...attributes, ...list, type: 'text', spellcheck: 'false', autocapitalize: 'off' });
}
