import type { FixEdit } from '@nccl-ts/findings';
import type { Editor, LineMark, LineProblem } from './editor.ts';
import { h } from './dom.ts';

export interface ProgramEditorOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  readonly label: string;
  readonly hasTypes: boolean;
  readonly onChange: () => void;
  /** Called with the line of the cursor. */
  readonly onLine: (line: number) => void;
}

let hints = 0;

/**
 * The program: first a plain text field, then the editor once its script has loaded. The reader can
 * read, change and run the program before that. The cursor keeps its position.
 */
export class ProgramEditor {
  readonly #plain: HTMLTextAreaElement;
  #editor: Editor | undefined;
  /** Resolves once the editor has replaced the plain field. */
  readonly loaded: Promise<Editor>;

  constructor(options: ProgramEditorOptions) {
    const { parent, text, label, onChange } = options;
    this.#plain = h('textarea', {
      class: 'plain-program',
      'aria-label': label,
      spellcheck: 'false',
      autocapitalize: 'off',
      wrap: 'off',
      rows: String(text.split('\n').length),
    });
    this.#plain.value = text;
    this.#plain.addEventListener('input', onChange);
    const hint = h(
      'p',
      { class: 'editor-hint', id: `hint-${hints++}` },
      'Tab indents. Escape, then Tab, leaves the editor.',
    );
    parent.append(this.#plain, hint);
    this.loaded = this.#load(options, hint);
  }

  get view(): Editor['view'] | undefined {
    return this.#editor?.view;
  }

  get text(): string {
    return this.#editor?.text ?? this.#plain.value;
  }

  set text(text: string) {
    if (this.#editor === undefined) this.#plain.value = text;
    else this.#editor.text = text;
  }

  /** Takes the last change back. Returns false if there is none. */
  undo(): boolean {
    return this.#editor?.undo() ?? false;
  }

  async showProblems(problems: readonly LineProblem[]): Promise<void> {
    await (await this.loaded).showProblems(problems);
  }

  /** Shows these marks, and removes those of the last call. */
  mark(given: readonly LineMark[]): void {
    if (this.#editor === undefined) void this.loaded.then((editor) => editor.mark(given));
    else this.#editor.mark(given);
  }

  async tint(numbers: readonly number[]): Promise<void> {
    (await this.loaded).tint(numbers);
  }

  goTo(line: number, isFocused = true): void {
    if (this.#editor === undefined) void this.loaded.then((editor) => editor.goTo(line, isFocused));
    else this.#editor.goTo(line, isFocused);
  }

  /** Replaces parts of lines, as one undo step. */
  async replace(edits: readonly FixEdit[]): Promise<void> {
    (await this.loaded).replace(edits);
  }

  async #load({ parent, label, hasTypes, onChange, onLine }: ProgramEditorOptions, hint: HTMLElement): Promise<Editor> {
    const { Editor: Loaded } = await import('./editor.ts');
    const plain = this.#plain;
    const hadFocus = document.activeElement === plain;
    const { value: text, selectionStart: anchor, selectionEnd: head } = plain;
    const editor = new Loaded({ parent, text, label, hasTypes, onChange, onLine, describedBy: hint.id });
    plain.remove();
    parent.append(hint);
    if (hadFocus) {
      editor.view.dispatch({ selection: { anchor, head } });
      editor.view.focus();
    }
    this.#editor = editor;
    return editor;
  }
}
