import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory, undo } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import { EditorState, type Range, RangeSet, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  gutterLineClass,
  GutterMarker,
  highlightActiveLine,
  keymap,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { FixEdit } from '@nccl-ts/findings';
import type { TypeProblem } from '../language/protocol.ts';
import { h } from './dom.ts';
import { explanationLink } from './explanations.ts';
import { typescript } from './typescript.ts';

/** A marked line of a finding. The two accesses of a race have the numbers 1 and 2. */
export interface LineMark {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  readonly label: string;
  readonly kind: 'first' | 'second' | 'shown' | 'unneeded';
}

/** A problem in the text; lines and columns start at 1. */
export interface LineProblem {
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  readonly text: string;
  /** The code, which is explained elsewhere. */
  readonly code?: string;
  /** @default an error */
  readonly severity?: 'warning';
}

export interface EditorOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  readonly label: string;
  readonly isCode?: boolean;
  readonly isReadOnly?: boolean;
  /**
   * True for a program: TypeScript loads at the first pointer move over it or the first typed word.
   */
  readonly hasTypes?: boolean;
  /** The id of a hint about the keys of the editor. */
  readonly describedBy?: string;
  readonly onChange?: (text: string) => void;
  /** Called with the line of the cursor, from 1, when the cursor goes to another line. */
  readonly onLine?: (line: number) => void;
}

/** Colours that use CSS variables of the page, so that they follow dark and light mode. */
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--code-function)' },
  { tag: tags.typeName, color: 'var(--code-type)' },
]);

const setMarks = StateEffect.define<readonly LineMark[]>();

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, transaction) => {
    let now = before.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) now = decorations(transaction.state, effect.value);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const setTints = StateEffect.define<readonly number[]>();
/** The colours of `style.css` for lines that belong together. */
const TINTS = 6;

/** Colours of lines, beside the marks. */
const tints = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, transaction) => {
    let now = before.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setTints)) now = tinted(transaction.state, effect.value);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The number of an access, which stands beside the number of its line and covers no code. */
class AccessNumber extends GutterMarker {
  override readonly elementClass: string;

  constructor(kind: string, label: string) {
    super();
    this.elementClass = `number-${kind} number-${label}`;
  }
}

const accessNumbers = gutterLineClass.compute([marks], (state) => {
  const found: Range<GutterMarker>[] = [];
  state.field(marks).between(0, state.doc.length, (from, _to, { spec }) => {
    const { kind, label }: Partial<LineMark> = spec;
    if (kind !== undefined && label !== undefined && label !== '')
      found.push(new AccessNumber(kind, label).range(from));
  });
  return RangeSet.of(found, true);
});

function tinted({ doc }: EditorState, given: readonly number[]): DecorationSet {
  const ranges = given.slice(0, doc.lines).flatMap((number, i) => {
    if (number === 0) return [];
    return Decoration.line({ class: `tint tint-${number % TINTS}` }).range(doc.line(i + 1).from);
  });
  return Decoration.set(ranges);
}

function decorations(state: EditorState, given: readonly LineMark[]): DecorationSet {
  const ranges = given.flatMap(({ line, column, endColumn, label, kind }) => {
    if (line < 1 || line > state.doc.lines) return [];
    const { from, to } = state.doc.line(line);
    const start = Math.min(from + column - 1, to);
    const end = Math.min(from + endColumn - 1, to);
    const whole = Decoration.line({ class: `mark-line mark-${kind}`, kind, label }).range(from);
    return start < end ? [whole, Decoration.mark({ class: `mark-text mark-${kind}` }).range(start, end)] : [whole];
  });
  return Decoration.set(ranges, true);
}

/** An editor for a program, or for the text beside it. */
export class Editor {
  readonly view: EditorView;
  #isWriting = false;
  #hasTypes: boolean;
  /** Compile errors of kernels and type errors. The two sets are shown together. */
  #problems: readonly LineProblem[] = [];
  #typeProblems: readonly TypeProblem[] = [];

  constructor({ parent, text, label, isCode = true, isReadOnly = false, hasTypes = false, ...on }: EditorOptions) {
    const { onChange, onLine, describedBy } = on;
    this.#hasTypes = hasTypes;
    this.view = new EditorView({
      parent,
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        indentOnInput(),
        highlightActiveLine(),
        syntaxHighlighting(colours),
        isCode ? typescript() : [],
        isReadOnly ? [EditorState.readOnly.of(true)] : [],
        marks,
        accessNumbers,
        tints,
        // Escape, then Tab, leaves the editor.
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          tabindex: '0',
          ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
        }),
        EditorView.focusChangeEffect.of((_state, isFocused) => {
          if (isFocused && !isReadOnly) void this.#writing();
          return null;
        }),
        EditorView.domEventHandlers({ mousemove: () => void this.#types() }),
        EditorView.updateListener.of(({ docChanged, selectionSet, startState, state, transactions }) => {
          const line = lineOfCursor(state);
          if (selectionSet && !docChanged && line !== lineOfCursor(startState)) onLine?.(line);
          if (transactions.some((one) => one.isUserEvent('input'))) void this.#types(true);
          if (docChanged) onChange?.(state.doc.toString());
        }),
      ],
    });
  }

  /** Completions, closing brackets and problem marks load when the reader starts to type. */
  async #writing(): Promise<typeof import('./editor-writing.ts')> {
    const writing = await import('./editor-writing.ts');
    if (!this.#isWriting) {
      this.#isWriting = true;
      this.view.dispatch({ effects: StateEffect.appendConfig.of(writing.forWriting) });
    }
    return writing;
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Replaces the text, as one undo step of its own. An equal text changes nothing. */
  set text(text: string) {
    if (text === this.text) return;
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      annotations: isolateHistory.of('full'),
    });
    this.view.scrollDOM.scrollTop = 0;
  }

  /** Takes the last change back. Returns false if there is none. */
  undo(): boolean {
    return undo(this.view);
  }

  /** TypeScript loads once, at the first pointer move over the program or the first typed word. */
  async #types(isWriting = false): Promise<void> {
    if (!this.#hasTypes) return;
    this.#hasTypes = false;
    const { completeNow, typesOf } = await import('./editor-types.ts');
    this.view.dispatch({
      effects: StateEffect.appendConfig.of(
        typesOf((problems) => {
          this.#typeProblems = problems;
          void this.#drawProblems();
        }),
      ),
    });
    if (isWriting) completeNow(this.view);
  }

  /**
   * Shows problems of the text while the reader types. They are separate from the marks of
   * findings.
   */
  async showProblems(problems: readonly LineProblem[]): Promise<void> {
    this.#problems = problems;
    await this.#drawProblems();
  }

  async #drawProblems(): Promise<void> {
    if (this.#problems.length + this.#typeProblems.length === 0 && !this.#isWriting) return;
    const { setDiagnostics } = await this.#writing();
    const { doc } = this.view.state;
    const diagnostics = this.#problems
      .filter(({ line }) => line >= 1 && line <= doc.lines)
      .map(({ line, column, endColumn, text, code, severity }): Diagnostic => {
        const { from, to } = doc.line(line);
        const start = Math.min(from + column - 1, to);
        return {
          from: start,
          to: Math.max(start, Math.min(from + endColumn - 1, to)),
          severity: severity ?? 'error',
          message: code === undefined ? text : `${code} ${text}`,
          ...(code === undefined
            ? {}
            : { renderMessage: () => h('span', {}, explanationLink(code, code), ` ${text}`) }),
        };
      });
    // At the same position, a kernel's own compile error is more helpful than TypeScript's.
    const types = this.#typeProblems
      .filter(({ from, to }) => to <= doc.length && !diagnostics.some((one) => one.from < to && from < one.to))
      .map(({ from, to, message }): Diagnostic => ({ from, to, severity: 'warning', message }));
    this.view.dispatch(setDiagnostics(this.view.state, [...diagnostics, ...types]));
  }

  mark(given: readonly LineMark[]): void {
    this.view.dispatch({ effects: setMarks.of(given) });
  }

  /** The line of the cursor. */
  get line(): number {
    return lineOfCursor(this.view.state);
  }

  /** Lines with one number get one colour; 0: none. */
  tint(numbers: readonly number[]): void {
    this.view.dispatch({ effects: setTints.of(numbers) });
  }

  /** A line that is only shown must not move the page away from what led there. */
  goTo(line: number, isFocused = true, y: 'start' | 'center' | 'nearest' = isFocused ? 'center' : 'nearest'): void {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return;
    const { from } = doc.line(line);
    const scroll = EditorView.scrollIntoView(from, { y, ...(y === 'nearest' ? { yMargin: 72 } : {}) });
    this.view.dispatch({ selection: { anchor: from }, effects: scroll });
    if (isFocused) this.view.focus();
  }

  /** Puts the cursor at a line, at the top of the editor. The page does not scroll. */
  enter(line: number): void {
    const { from } = this.view.state.doc.line(line);
    this.view.dispatch({ selection: { anchor: from } });
    this.view.requestMeasure({
      read: (view) => view.lineBlockAt(from).top,
      write: (top, { scrollDOM }) => {
        scrollDOM.scrollTop = top;
      },
    });
  }

  /** Shows a line by scrolling the editor, and never the page. */
  reveal(line: number): void {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return;
    const { top } = this.view.lineBlockAt(doc.line(line).from);
    this.view.scrollDOM.scrollTop = Math.max(0, top - 72);
  }

  /** Replaces parts of lines, as one undo step. The positions are those before all changes. */
  replace(edits: readonly FixEdit[]): void {
    const { doc } = this.view.state;
    const changes = edits.map(({ line, column, endColumn, insert }) => {
      const { from } = doc.line(line);
      return { from: from + column - 1, to: from + endColumn - 1, insert };
    });
    this.view.dispatch({ changes, annotations: isolateHistory.of('full') });
  }
}

function lineOfCursor({ doc, selection }: EditorState): number {
  return doc.lineAt(selection.main.head).number;
}
