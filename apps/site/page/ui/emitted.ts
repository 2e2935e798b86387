import type { EmitResult, EmitTarget } from '../protocol.ts';
import { button, h } from './dom.ts';
import type { Editor } from './editor.ts';
import type { ProgramEditor } from './program-editor.ts';

const targets: readonly (readonly [EmitTarget, string])[] = [
  ['cuda', 'CUDA C++'],
  ['wgsl', 'WGSL'],
  ['ir', 'IR'],
];

/** The code that a program compiles to, beside it: lines that belong together have one colour. */
export class EmittedView {
  readonly #program: ProgramEditor;
  readonly #emit: (target: EmitTarget) => Promise<EmitResult>;
  #target: EmitTarget = 'cuda';
  #shown: { readonly editor: Editor; readonly lines: readonly number[] } | undefined;

  constructor(program: ProgramEditor, ask: (target: EmitTarget) => Promise<EmitResult>) {
    this.#program = program;
    this.#emit = ask;
  }

  /** Compiles the program as it is now, and shows the code in `into`. */
  async draw(into: HTMLElement): Promise<void> {
    const choices = targets.map(([target, title]) =>
      button(
        title,
        () => {
          this.#target = target;
          void this.draw(into);
        },
        { 'aria-pressed': String(target === this.#target) },
      ),
    );
    const holder = h('div', { class: 'emitted' });
    into.replaceChildren(h('div', { class: 'row' }, ...choices), holder);
    const { text: program } = this.#program;
    try {
      const { Editor: Shown } = await import('./editor.ts');
      const { text, lines } = await this.#emit(this.#target);
      // Another choice was made meanwhile, or the program has changed.
      if (!holder.isConnected || program !== this.#program.text) return;
      const onLine = (at: number): void => {
        // Scrolling this text must not move the cursor of an author who writes.
        if (editor.view.hasFocus) this.#from(lines[at - 1] ?? 0);
      };
      const editor = new Shown({ parent: holder, text, label: 'Emitted code', isReadOnly: true, onLine });
      this.#shown = { editor, lines };
      editor.tint(lines);
      // The text begins with declarations that all kernels share.
      const first = lines.findIndex((line) => line > 0);
      if (first !== -1) editor.enter(first + 1);
      const used = new Set(lines);
      await this.#program.tint(program.split('\n').map((_, i) => (used.has(i + 1) ? i + 1 : 0)));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // A browser that is offline names only the file that it cannot load.
      const isUnloaded = /dynamically imported module|importing a module script/i.test(message);
      const told = isUnloaded
        ? 'The page could not load its emitters. Is the network there? Then choose a target again.'
        : message;
      holder.append(h('pre', { class: 'report', role: 'status' }, told));
    }
  }

  /** The view is no longer shown. */
  close(): void {
    if (this.#shown === undefined) return;
    this.#shown = undefined;
    void this.#program.tint([]);
  }

  /** Marks every emitted line that comes from a line of the program. */
  mark(line: number): void {
    if (this.#shown === undefined) return;
    const { editor, lines } = this.#shown;
    const first = lines.indexOf(line);
    // A reader who has chosen one of the lines stays there.
    if (first !== -1 && lines[editor.line - 1] !== line) editor.reveal(first + 1);
    editor.mark(
      lines.flatMap((from, i) =>
        from === line ? [{ line: i + 1, column: 1, endColumn: 1, label: '', kind: 'shown' } as const] : [],
      ),
    );
  }

  /** Marks the line of the program from which emitted code comes, and all that comes from it. */
  #from(line: number): void {
    if (line === 0) return;
    this.#program.mark([{ line, column: 1, endColumn: 1, label: '', kind: 'shown' }]);
    this.#program.goTo(line, false);
    this.mark(line);
  }
}
