import {
  autocompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { forEachDiagnostic } from '@codemirror/lint';
import { Prec, StateEffect, StateField, type EditorState, type Extension } from '@codemirror/state';
import { EditorView, hoverTooltip, keymap, showTooltip, ViewPlugin, type Tooltip } from '@codemirror/view';
import { LanguageClient } from '../language/language-client.ts';
import type { Hover, CallSignature, TypeProblem } from '../language/protocol.ts';
import { h } from './dom.ts';

/** One worker serves all editors of a page. The first question loads it. */
let shared: LanguageClient | undefined;
const client = (): LanguageClient => (shared ??= new LanguageClient());

/**
 * The pause after typing before an analysis starts, in ms. The analysis of kernels uses the same
 * pause.
 */
const PAUSE = 300;

/** Adds hover types, completions, call signatures and live type errors to an editor. */
export function typesOf(onProblems: (problems: readonly TypeProblem[]) => void): Extension {
  return [
    autocompletion({ override: [complete] }),
    Prec.highest(
      keymap.of([
        {
          key: 'Ctrl-Space',
          run: (view) => {
            isLate = false;
            return startCompletion(view);
          },
        },
      ]),
    ),
    hoverTooltip(hover),
    signatureField,
    keymap.of([
      { key: 'Ctrl-Shift-Space', run: (view) => (void showSignature(view), true) },
      { key: 'Escape', run: hideSignature },
    ]),
    EditorView.domEventHandlers({ blur: (_event, view) => void hideSignature(view) }),
    EditorView.updateListener.of(({ docChanged, selectionSet, view }) => {
      if (docChanged || (selectionSet && view.state.field(signatureField) !== null)) void showSignature(view);
    }),
    ViewPlugin.define((view) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const look = (): void => {
        if (timer !== undefined) clearTimeout(timer);
        timer = setTimeout(() => void problemsOf(view, onProblems), PAUSE);
      };
      look();
      return {
        update: ({ docChanged }) => {
          if (docChanged) look();
        },
        destroy: () => {
          if (timer !== undefined) clearTimeout(timer);
        },
      };
    }),
  ];
}

async function problemsOf(view: EditorView, onProblems: (problems: readonly TypeProblem[]) => void): Promise<void> {
  const text = view.state.doc.toString();
  const problems = await client().request({ kind: 'problems', text });
  if (view.state.doc.toString() === text) onProblems(problems);
}

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos } = context;
  const explicit = context.explicit && !isLate;
  const isWord = context.matchBefore(/[\w$]+/) !== null;
  const isMember = state.doc.sliceString(pos - 1, pos) === '.';
  const isPackage = context.matchBefore(/\bfrom\s+['"][^'"\n]*/) !== null;
  if (!explicit && !isWord && !isMember && !isPackage) return null;
  const text = state.doc.toString();
  const found = await client().request({ kind: 'completions', text, at: pos });
  if (found === null) return null;
  return {
    from: found.from,
    validFor: isPackage ? /^[^'"]*$/ : /^[\w$]*$/,
    options: found.entries.map(({ name, kind, module }) => ({
      label: name,
      type: icons[kind] ?? 'variable',
      ...(module === undefined ? {} : { detail: `from ${module}`, apply: importing(name, module), boost: -10 }),
      info: async () => {
        if (module !== undefined) return null;
        const details = await client().request({ kind: 'details', text, at: pos, name });
        return details === null ? null : description(details);
      },
    })),
  };
}

/** Completes a name, and adds it to the program's imports. */
function importing(name: string, module: string) {
  return (view: EditorView, _completion: Completion, from: number, to: number): void => {
    const text = view.state.doc.toString();
    const found = new RegExp(`import\\s*\\{([^}]*)\\}\\s*from\\s*['"]${module}['"]`).exec(text);
    const list = found?.[1]?.trimEnd() ?? '';
    const at = found === null ? 0 : found.index + found[0].indexOf('{') + 1 + list.length;
    const separator = list === '' ? ' ' : list.endsWith(',') ? ' ' : ', ';
    const insert = found === null ? `import { ${name} } from '${module}';\n` : `${separator}${name}`;
    view.dispatch({
      changes: [
        { from: at, insert },
        { from, to, insert: name },
      ],
      selection: { anchor: from + name.length + insert.length },
      userEvent: 'input.complete',
    });
  };
}

/** True if typing, not a key of its own, requested the completions. */
let isLate = false;

/** Completes the word, or shows the call, that was typed while TypeScript was loading. */
export function completeNow(view: EditorView): void {
  isLate = true;
  void showSignature(view);
  const { head } = view.state.selection.main;
  if (/[\w$.]/.test(view.state.doc.sliceString(head - 1, head))) startCompletion(view);
}

/** Maps TypeScript's kinds to the editor's icons. */
const icons: Readonly<Record<string, string>> = {
  function: 'function',
  method: 'method',
  property: 'property',
  const: 'constant',
  class: 'class',
  interface: 'interface',
  keyword: 'keyword',
  string: 'text',
  type: 'type',
};

async function hover(view: EditorView, at: number): Promise<Tooltip | null> {
  // The message of an error tells more than the types there, and would be one of two tooltips.
  if (hasError(view.state, at)) return null;
  const found = await client().request({ kind: 'hover', text: view.state.doc.toString(), at });
  if (found === null) return null;
  return { pos: found.from, end: found.to, above: true, create: () => ({ dom: description(found) }) };
}

function hasError(state: EditorState, at: number): boolean {
  let isFound = false;
  forEachDiagnostic(state, ({ severity }, from, to) => {
    isFound ||= severity === 'error' && from <= at && at <= to;
  });
  return isFound;
}

function description({ signature, documentation }: Pick<Hover, 'signature' | 'documentation'>): HTMLElement {
  return h(
    'div',
    { class: 'types' },
    h('code', {}, signature),
    documentation === '' ? undefined : h('p', {}, ...words(documentation)),
  );
}

/** Formats TSDoc: joins the lines of a paragraph, and sets text between backticks as code. */
function words(documentation: string): (Node | string)[] {
  return documentation.split(/```\w*\n([\s\S]*?)```/).flatMap((block, index): (Node | string)[] => {
    // An example keeps its lines.
    if (index % 2 === 1) return [h('code', { class: 'example' }, block.trimEnd())];
    return block
      .replaceAll(/[ \t]*\n(?!\n)/g, ' ')
      .replaceAll(/\{@link ([^}|]+?)(?: *\|[^}]*)?\}/g, '`$1`')
      .split('`')
      .map((part, at) => (at % 2 === 1 ? h('code', {}, part) : part));
  });
}

const setSignature = StateEffect.define<Tooltip | null>();

const signatureField = StateField.define<Tooltip | null>({
  create: () => null,
  update: (before, { effects }) => {
    let now = before;
    for (const effect of effects) if (effect.is(setSignature)) now = effect.value;
    return now;
  },
  provide: (field) => showTooltip.from(field),
});

/** Shows the parameters of the call around the cursor, or hides them. */
async function showSignature(view: EditorView): Promise<void> {
  const at = view.state.selection.main.head;
  const text = view.state.doc.toString();
  const isInCall = /[(,]\s*[^()]*$/.test(view.state.doc.lineAt(at).text.slice(0, at - view.state.doc.lineAt(at).from));
  const found = isInCall ? await client().request({ kind: 'signature', text, at }) : null;
  // The reader may have gone to the results meanwhile.
  if (view.state.doc.toString() !== text || (found !== null && !view.hasFocus)) return;
  if (found === null && view.state.field(signatureField) === null) return;
  const tooltip = found === null ? null : { pos: at, above: true, create: () => ({ dom: signatureView(found) }) };
  view.dispatch({ effects: setSignature.of(tooltip) });
}

/** Returns false if no call is shown. */
function hideSignature(view: EditorView): boolean {
  if (view.state.field(signatureField) === null) return false;
  view.dispatch({ effects: setSignature.of(null) });
  return true;
}

function signatureView({ before, parameters, after, active, documentation }: CallSignature): HTMLElement {
  const parts = parameters.flatMap((text, index) => [
    index === 0 ? '' : ', ',
    index === active ? h('b', {}, text) : text,
  ]);
  return h(
    'div',
    { class: 'types signature' },
    h('code', {}, before, ...parts, after),
    documentation === '' ? undefined : h('p', {}, ...words(documentation)),
  );
}
