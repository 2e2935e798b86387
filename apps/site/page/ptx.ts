import './common.ts';
import { Client, Stopped, WorkerProblem } from './client.ts';
import type { KernelCase } from './kernel-case.ts';
import type { CheckResult, LaunchChange } from './protocol.ts';
import { baseName, entryLine, lineOfLocation, originOf, sourceFile } from './ptx-files.ts';
import { button, element, h } from './ui/dom.ts';
import { Editor, type LineMark } from './ui/editor.ts';
import { explanationLink } from './ui/explanations.ts';
import { isObject, Kept } from './ui/kept.ts';
import { LaunchFields } from './ui/launch-fields.ts';
import { fragmentOfText, readLink } from './ui/link.ts';
import { findingCards, inOrder, marksOf } from './ui/results.ts';
import { verdictSentence } from './ui/verdict-sentence.ts';

/** A kernel and its launch. */
interface KernelState {
  readonly ptx: string;
  readonly launch: string;
  readonly cuda: string;
  readonly residentCtas?: number;
}

/** The pause after typing before the fields are read from the text again, in ms. */
const PAUSE = 200;
let timer: ReturnType<typeof setTimeout> | undefined;
let drafting: ReturnType<typeof setTimeout> | undefined;

const client = new Client(new URL('worker.js', import.meta.url).href);
const [shapes, exhibits] = await Promise.all([casesOf('shapes.json'), casesOf('museum.json')]);
const cases = [...shapes, ...exhibits];
const kept = new Kept<KernelState>('ptx', isState);
const link = await readLink(location.hash);
const { resumed } = kept;
const begun =
  resumed ??
  linkedState() ??
  caseState(caseOf(location.search)) ??
  kept.last ??
  caseState('no-end-barrier/broken') ??
  none();
const { last } = kept;
if (last !== undefined && JSON.stringify(last) !== JSON.stringify(begun) && isOwn(last)) kept.putAside(last, '');
let { residentCtas } = begun;
/** The origin of the PTX text that the launch and the CUDA C++ belong to. */
let origin = originOf(begun.ptx);
/** The launch as an example or a description has it: the page may describe it anew. */
let written = isOwn(begun) ? '' : begun.launch;
let checked: string | undefined;
let changing = Promise.resolve();
/** The number of descriptions asked for. */
let drafts = 0;

const result = element('#ptx-result', HTMLElement);
const ptx = new Editor({
  parent: element('#ptx-code', HTMLElement),
  text: begun.ptx,
  label: 'PTX',
  isCode: false,
  onChange: ptxChanged,
});
const launch = new Editor({
  parent: element('#launch-code', HTMLElement),
  text: begun.launch,
  label: 'The launch',
  onChange: () => {
    fields.textChanged();
    changed();
  },
});
const fields = new LaunchFields({
  root: element('#launch-fields', HTMLElement),
  onEdit: (start, end, insert) => launch.view.dispatch({ changes: { from: start, to: end, insert } }),
  onChange: changeForm,
});
const source = new Editor({
  parent: element('#cuda-code', HTMLElement),
  text: begun.cuda,
  label: 'CUDA C++',
  onChange: cudaChanged,
});

const menu = h('select', { 'aria-label': 'Example', id: 'case' });
menu.append(h('option', { value: '' }, 'your own'));
for (const [label, group] of [
  ['Start from a shape', shapes],
  ['Bugs of the museum', exhibits],
] as const) {
  menu.append(h('optgroup', { label }, ...group.map(({ name, title }) => h('option', { value: name }, title))));
}
menu.addEventListener('change', () => {
  replace(caseState(menu.value) ?? none());
  history.pushState(null, '', menu.value === '' ? location.pathname : `${location.pathname}?case=${menu.value}`);
});
addEventListener('popstate', () => {
  const state = caseState(caseOf(location.search));
  if (state !== undefined) replace(state);
});
addEventListener('hashchange', () => {
  if (/^#v\d+;/.test(location.hash)) location.reload();
});
const check = button('Check', () => void checkNow(), { class: 'primary', id: 'check', title: 'Ctrl+Enter' });
const stop = button('Stop', () => client.stop(), { disabled: '' });
const restore = button(
  'Restore my kernel',
  () => {
    const [mine] = kept.earlier;
    if (mine !== undefined) replace(mine.state);
  },
  { id: 'restore' },
);
const status = h('span', { class: 'quiet', role: 'status' });
element('#ptx-bar', HTMLElement).append(
  h('label', {}, h('span', {}, 'Example'), menu),
  check,
  stop,
  button('Describe the launch', () => void draft(), { id: 'describe', title: 'Writes the launch of the first entry' }),
  button('Share', () => void share(), { id: 'share' }),
  restore,
  status,
);
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  void checkNow();
});
for (const view of ['fields', 'text'] as const) {
  element(`#launch-as-${view}`, HTMLButtonElement).addEventListener('click', () => showLaunchAs(view));
}
showLaunchAs('fields');
nameCase();
showEntry();
if (link.kind === 'problem' && resumed === undefined) status.textContent = link.why;
await client.ready;
await drawFields();
document.documentElement.dataset['ready'] = String(Math.round(performance.now()));

async function casesOf(file: string): Promise<readonly KernelCase[]> {
  const response = await fetch(new URL(file, import.meta.url));
  return (await response.json()) as readonly KernelCase[];
}

function none(): KernelState {
  return { ptx: '', launch: '', cuda: '' };
}

function caseOf(search: string): string | null {
  return new URLSearchParams(search).get('case');
}

function caseState(name: string | null): KernelState | undefined {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) return undefined;
  const { ptx: text, launch: harness, cuda, residentCtas: ctas } = found;
  return { ptx: text, launch: harness, cuda, ...(ctas === undefined ? {} : { residentCtas: ctas }) };
}

function linkedState(): KernelState | undefined {
  if (link.kind !== 'text') return undefined;
  try {
    const state: unknown = JSON.parse(link.text);
    return isState(state) ? state : undefined;
  } catch {
    return undefined;
  }
}

function isState(value: unknown): value is KernelState {
  return (
    isObject(value) &&
    ['ptx', 'launch', 'cuda'].every((name) => typeof value[name] === 'string') &&
    (value['residentCtas'] === undefined || Number.isInteger(value['residentCtas']))
  );
}

function stateNow(): KernelState {
  return {
    ptx: ptx.text,
    launch: launch.text,
    cuda: source.text,
    ...(residentCtas === undefined ? {} : { residentCtas }),
  };
}

/** True if the state is of no example. */
function isOwn({ ptx: text, launch: harness }: KernelState): boolean {
  return text !== '' && cases.every((one) => one.ptx !== text || one.launch !== harness);
}

/**
 * Shows another kernel. Each text can be undone, and the button brings back what the reader had.
 */
function replace(next: KernelState): void {
  const before = stateNow();
  if (isOwn(before)) kept.putAside(before, '');
  ({ residentCtas } = next);
  origin = originOf(next.ptx);
  written = isOwn(next) ? '' : next.launch;
  source.text = next.cuda;
  ptx.text = next.ptx;
  launch.text = next.launch;
  checked = undefined;
  result.replaceChildren(
    h('p', { class: 'quiet' }, next.ptx === '' ? 'Paste PTX, and its CUDA C++ if you have it.' : 'Press Check.'),
  );
  showEntry();
  changed();
}

/** The menu names the example that is shown. */
function nameCase(): void {
  menu.value = cases.find((one) => one.ptx === ptx.text && one.launch === launch.text)?.name ?? '';
  restore.hidden = kept.earlier.length === 0;
}

/** The cursor is at the entry, because a compiler's text may begin with debug data. */
function showEntry(): void {
  const line = entryLine(ptx.text);
  if (line !== undefined) ptx.enter(line);
}

function showLaunchAs(shown: 'fields' | 'text'): void {
  for (const view of ['fields', 'text'] as const) {
    element(`#launch-as-${view}`, HTMLButtonElement).setAttribute('aria-pressed', String(view === shown));
  }
  element('#launch-fields', HTMLElement).hidden = shown !== 'fields';
  element('#launch-code', HTMLElement).hidden = shown !== 'text';
}

/** Another kernel has another source and another launch. */
function ptxChanged(text: string): void {
  changed();
  const next = originOf(text);
  if (next === origin) return;
  origin = next;
  residentCtas = undefined;
  const isExample = cases.some((one) => one.cuda === source.text);
  if (isExample) source.text = '';
  if (entryLine(text) === undefined) return;
  if (checked === undefined) result.replaceChildren(h('p', { class: 'quiet' }, 'Press Check.'));
  showEntry();
  if (mayDescribe()) void draft();
}

/** With its source, parameters have their names. */
function cudaChanged(): void {
  changed();
  if (
    source.text.trim() !== '' &&
    mayDescribe() &&
    entryLine(ptx.text) !== undefined &&
    !cases.some((one) => one.cuda === source.text)
  ) {
    clearTimeout(drafting);
    drafting = setTimeout(() => void draft(), PAUSE);
  }
}

/** True if the launch is the page's description, which the reader has not changed. */
function isGuess(): boolean {
  return launch.text === written && cases.every((one) => one.launch !== written);
}

/** True if the reader has written nothing in the launch. */
function mayDescribe(): boolean {
  return launch.text.trim() === '' || launch.text === written;
}

function changed(): void {
  showAge();
  kept.keep(stateNow);
  nameCase();
  clearTimeout(timer);
  timer = setTimeout(() => void drawFields(), PAUSE);
}

/** Marks a result that is of another text. */
function showAge(): void {
  const isStale = checked !== undefined && checked !== JSON.stringify(stateNow());
  result.dataset['stale'] = String(isStale);
  if (isStale) for (const one of [ptx, source]) one.mark([]);
}

/** Changes wait for each other, because each needs the text that the one before it leaves. */
function changeForm(change: LaunchChange): void {
  const root = element('#launch-fields', HTMLElement);
  root.setAttribute('aria-busy', 'true');
  const mine = changing
    .then(async () => drawFields(change))
    .finally(() => {
      if (changing === mine) root.removeAttribute('aria-busy');
    });
  changing = mine;
}

/** Shows the launch as fields. A change of a field's form comes back as a new text. */
async function drawFields(change?: LaunchChange): Promise<void> {
  const before = stateNow();
  try {
    const form = await client.request({
      kind: 'launch',
      ...before,
      ...(change === undefined ? {} : { change }),
    });
    // The positions are of a text that one has changed since. A change is made in the new one.
    if (launch.text !== before.launch || ptx.text !== before.ptx) {
      if (change !== undefined) await drawFields(change);
      return;
    }
    if (form.text !== undefined) launch.text = form.text;
    fields.show(form);
  } catch (error) {
    if (!(error instanceof Stopped) && !(error instanceof WorkerProblem)) throw error;
  }
}

async function draft(): Promise<void> {
  const before = stateNow();
  drafts++;
  const own = drafts;
  status.textContent = 'Describing the launch …';
  try {
    const text = await client.request({ kind: 'draft', ptx: before.ptx, cuda: before.cuda });
    // Another text has come meanwhile, and with it another description.
    if (own !== drafts) return;
    if (ptx.text !== before.ptx || launch.text !== before.launch) {
      status.textContent = '';
      return;
    }
    written = text;
    residentCtas = undefined;
    launch.text = text;
    await drawFields();
    const count = document.querySelectorAll('#launch-fields input.asked').length;
    status.textContent =
      count === 0
        ? 'The launch is described.'
        : `The launch is described. Fill in ${count} marked value${count === 1 ? '' : 's'}.`;
  } catch (error) {
    status.textContent = '';
    showError(error);
  }
}

async function share(): Promise<void> {
  try {
    history.replaceState(null, '', location.pathname + (await fragmentOfText(JSON.stringify(stateNow()), {})));
    kept.keep(stateNow);
    await navigator.clipboard.writeText(location.href);
    status.textContent = 'The link is in the clipboard.';
  } catch (error) {
    status.textContent = error instanceof RangeError ? error.message : 'The link is in the address bar.';
  }
}

async function checkNow(): Promise<void> {
  if (check.disabled) return;
  check.disabled = true;
  stop.disabled = false;
  const told = h('p', { class: 'verdict', role: 'status', 'data-state': 'busy', tabindex: '-1' }, 'Checking …');
  result.replaceChildren(told);
  await changing;
  const given = stateNow();
  checked = JSON.stringify(given);
  showAge();
  try {
    const answer = await client.request(
      { kind: 'ptx', ...given },
      {
        onPhase: (phase) => {
          told.textContent = `Checking: ${phase}`;
        },
      },
    );
    show(answer);
  } catch (error) {
    showError(error);
  } finally {
    check.disabled = false;
    stop.disabled = true;
    showAge();
    if (document.activeElement === document.body)
      result.querySelector<HTMLElement>('.verdict')?.focus({ preventScroll: true });
  }
}

/**
 * The texts that show the lines of a file: the PTX, the CUDA C++ that it was compiled from, or
 * neither.
 */
function paneOf(file: string): Editor | undefined {
  if (file.endsWith('.ptx')) return ptx;
  return baseName(file) === sourceFile(ptx.text) && source.text.trim() !== '' ? source : undefined;
}

function show(answer: CheckResult): void {
  const { verdict, findings } = answer.report;
  const file = findings.flatMap(({ labels }) => labels.flatMap(({ place }) => place?.file ?? []))[0] ?? 'kernel.ptx';
  const pane = paneOf(file);
  // Without the source, a line is shown where the PTX says that it comes from it.
  const shown = (line: number): number | undefined =>
    pane === undefined ? lineOfLocation(ptx.text, file, line) : line;
  const marks = (index: number): readonly LineMark[] => {
    const finding = findings[index];
    return (finding === undefined ? [] : marksOf(finding, file)).flatMap((mark) => {
      const line = shown(mark.line);
      return line === undefined ? [] : [{ ...mark, line, ...(pane === undefined ? { column: 1, endColumn: 1 } : {}) }];
    });
  };
  const goTo = (line: number): void => {
    const at = shown(line);
    if (at !== undefined) (pane ?? ptx).goTo(at);
  };
  const mark = (index: number): void => {
    const found = marks(index);
    (pane ?? ptx).mark(found);
    const [first] = found;
    if (first !== undefined) (pane ?? ptx).reveal(first.line);
  };
  for (const one of [ptx, source]) one.mark([]);
  result.replaceChildren(
    h(
      'p',
      {
        class: 'verdict',
        role: 'status',
        tabindex: '-1',
        'data-state': verdict === 'clean' ? 'good' : 'bad',
        'data-verdict': verdict,
      },
      verdictSentence(answer),
    ),
    ...(verdict === 'clean' && answer.compared !== true
      ? [
          h(
            'p',
            { class: 'quiet', id: 'uncompared' },
            'No result was compared: fill in “Expected result” to find wrong values.',
          ),
        ]
      : []),
    ...(verdict === 'clean' && isGuess()
      ? [
          h(
            'p',
            { class: 'quiet guess' },
            'The page has guessed this launch, so read it first. If two pointers lead to the same memory on your GPUs, such as a ' +
              "rank's own buffer and its place in a table of peers, choose that memory for both: a race between them is not " +
              'seen otherwise.',
          ),
        ]
      : []),
    ...(pane === undefined && findings.length > 0
      ? [
          h(
            'p',
            { class: 'quiet' },
            `The lines are those of ${baseName(file)}. Paste it below to see them; until then, they are marked in the PTX.`,
          ),
        ]
      : []),
    findingCards(answer, file, {
      onLine: goTo,
      onShow: (finding) => mark(findings.indexOf(finding)),
    }),
    h('details', {}, h('summary', {}, 'The report'), h('pre', { class: 'report', tabindex: '0' }, answer.text)),
  );
  const [leading] = inOrder(answer);
  if (leading !== undefined) mark(leading);
}

function showError(error: unknown): void {
  const problem = error instanceof WorkerProblem ? error.problem : undefined;
  if (problem?.code === 'NCCLTS_TODO') {
    showLaunchAs('fields');
    const text = 'The launch lacks values that only you know: fill in the marked fields, then check.';
    result.replaceChildren(
      h('p', { class: 'verdict', role: 'status', 'data-state': 'none', 'data-verdict': problem.code }, text),
    );
    fields.askNext();
    return;
  }
  const message = error instanceof Stopped ? 'Stopped.' : (problem?.message ?? String(error));
  result.replaceChildren(
    h(
      'p',
      { class: 'verdict', role: 'status', tabindex: '-1', 'data-state': error instanceof Stopped ? 'none' : 'bad' },
      `${message.split('\n')[0]} `,
      problem?.code === undefined ? undefined : explanationLink(problem.code, 'What this means'),
    ),
    h('pre', { class: 'report', tabindex: '0' }, message),
  );
}
