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

  constructor({ root, onEdit, onChange }: LaunchFieldsOptions) {
    this.#root = root;
    this.#onEdit = onEdit;
    this.#onChange = onChange;
  }

  /** Goes to the first value that the text asks for. Returns false if it has all. */
  askNext(): boolean {
    const [first] = this.#root.querySelectorAll<HTMLInputElement>('input.asked');
    first?.focus();
    return first !== undefined;
  }

  /** Shows the fields of a text. An input that has the focus keeps its own text. */
  show(form: LaunchForm): void {
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
    const isWide = input instanceof HTMLTextAreaElement || field.label === 'Entry';
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
    const { start, end, around = ['', ''], ask, candidates, empty } = shown.field;
    const [before, after] = around;
    const isEmpty = value === '' && empty !== undefined;
    const insert = isEmpty ? empty : before + value + after;
    shown.input.classList.toggle('asked', isEmpty);
    this.#onEdit(start, end, insert);
    const moved = insert.length - (end - start);
    for (const other of this.#inputs) {
      const { field } = other;
      if (other === shown || field.start < end) continue;
      other.field = { ...field, start: field.start + moved, end: field.end + moved };
    }
    const { label, options } = shown.field;
    const from = start + before.length;
    shown.field = {
      label,
      value,
      start: from,
      end: from + (isEmpty ? empty.length : value.length),
      ...(options === undefined ? {} : { options }),
      ...(ask === undefined ? {} : { ask }),
      ...(candidates === undefined ? {} : { candidates }),
      ...(empty === undefined ? {} : { empty }),
    };
  }
}

function inputFor({ label, value, options, ask }: LaunchField, attributes: Readonly<Record<string, string>>): Input {
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
  const list = label === 'Entry' ? { list: 'entries' } : label === 'Values' ? { placeholder: 'all zero' } : {};
  return h('input', { ...attributes, ...list, type: 'text', spellcheck: 'false', autocapitalize: 'off' });
}
