import './common.ts';
import { Client, Stopped, WorkerProblem } from './client.ts';
import { litmusTests } from './litmus-tests.ts';
import type { LitmusOutcome, LitmusResult } from './protocol.ts';
import { button, element, h } from './ui/dom.ts';
import { Editor } from './ui/editor.ts';
import { executionGraph } from './ui/execution-graph.ts';
import { Kept } from './ui/kept.ts';
import { fragmentOfText, readLink } from './ui/link.ts';

const client = new Client(new URL('worker.js', import.meta.url).href);
const first = litmusTests[0];
if (first === undefined) throw new TypeError('There is no litmus test.');
const outcomes = element('#outcomes', HTMLElement);
const kept = new Kept<string>('litmus', (value): value is string => typeof value === 'string');
const link = await readLink(location.hash);
const named = testOf(location.search);
const { resumed } = kept;
const begun = resumed ?? (link.kind === 'text' ? link.text : undefined) ?? named?.text ?? kept.last ?? first.text;
/** The text whose outcomes are shown. */
let enumerated: string | undefined;
const editor = new Editor({
  parent: element('#litmus-code', HTMLElement),
  text: begun,
  label: 'The litmus test',
  isCode: false,
  onChange: (text) => {
    kept.keep(() => editor.text);
    nameTest();
    if (enumerated !== undefined) outcomes.dataset['stale'] = String(text !== enumerated);
  },
});
const menu = h(
  'select',
  { 'aria-label': 'Test', id: 'test' },
  h('option', { value: '', disabled: '' }, 'your own test'),
);
for (const { name, title } of litmusTests) menu.append(h('option', { value: name }, title));
menu.addEventListener('change', () => {
  const chosen = litmusTests.find(({ name }) => name === menu.value);
  if (chosen === undefined) return;
  history.replaceState({ text: editor.text }, '');
  editor.text = chosen.text;
  history.pushState(null, '', `${location.pathname}?test=${chosen.name}`);
  void enumerate();
});
addEventListener('popstate', ({ state }) => {
  const before: unknown = state;
  const own = typeof before === 'object' && before !== null && 'text' in before ? before.text : undefined;
  const text = typeof own === 'string' ? own : testOf(location.search)?.text;
  if (text === undefined) return;
  editor.text = text;
  void enumerate();
});
addEventListener('hashchange', () => {
  if (/^#v\d+;/.test(location.hash)) location.reload();
});
const status = h('span', { class: 'quiet', role: 'status' });
element('#litmus-bar', HTMLElement).append(
  h('label', {}, h('span', {}, 'Test'), menu),
  button('Enumerate', () => void enumerate(), { class: 'primary', id: 'enumerate' }),
  button('Stop', () => client.stop()),
  button('Share', () => void share(), { id: 'share' }),
  status,
);
nameTest();
if (link.kind === 'problem' && resumed === undefined) status.textContent = link.why;
await client.ready;
await enumerate();

function testOf(search: string): (typeof litmusTests)[number] | undefined {
  const name = new URLSearchParams(search).get('test');
  return litmusTests.find((one) => one.name === name);
}

/** The menu names the test that is shown. */
function nameTest(): void {
  menu.value = litmusTests.find(({ text }) => text === editor.text)?.name ?? '';
}

async function share(): Promise<void> {
  try {
    history.replaceState(null, '', location.pathname + (await fragmentOfText(editor.text, {})));
    kept.keep(() => editor.text);
    await navigator.clipboard.writeText(location.href);
    status.textContent = 'The link is in the clipboard.';
  } catch (error) {
    status.textContent = error instanceof RangeError ? error.message : 'The link is in the address bar.';
  }
}

async function enumerate(): Promise<void> {
  const { text } = editor;
  enumerated = text;
  outcomes.dataset['stale'] = 'false';
  outcomes.replaceChildren(h('p', { role: 'status' }, 'Enumerating …'));
  try {
    const result = await client.request({ kind: 'litmus', text });
    if (enumerated === text) show(result);
  } catch (error) {
    const message =
      error instanceof Stopped ? 'Stopped.' : error instanceof WorkerProblem ? error.problem.message : String(error);
    const state = error instanceof Stopped ? 'none' : 'bad';
    if (enumerated === text) {
      outcomes.replaceChildren(h('p', { class: 'verdict', 'data-state': state, role: 'status' }, message));
    }
  }
  outcomes.dataset['stale'] = String(enumerated !== editor.text);
}

function show({ outcomes: found, executions, complete, condition: asked }: LitmusResult): void {
  const all = complete ? 'all' : 'the first; there are more';
  const parts: HTMLElement[] = [
    h('p', { role: 'status' }, `${found.length} outcomes of ${executions} executions: ${all}.`),
  ];
  if (asked !== undefined) {
    const text = `${asked.text}: ${asked.isAllowed ? 'allowed' : complete ? 'forbidden' : 'not found so far'}`;
    parts.push(h('p', { class: 'verdict', id: 'asked', 'data-state': asked.isAllowed ? 'bad' : 'good' }, text));
  }
  const names = Object.keys(found[0]?.values ?? {});
  const graph = h('div', { id: 'graph' });
  const rows = found.map((outcome, index) => {
    const cells = names.map((name) => h('td', {}, outcome.values[name] ?? ''));
    const text = names.map((name) => `${name}=${outcome.values[name] ?? ''}`).join(' ');
    const row = h(
      'tr',
      { 'data-outcome': text },
      ...cells,
      h('td', {}, String(outcome.executions)),
      h('td', {}, outcome.isRacy ? 'yes' : 'no'),
      h(
        'td',
        {},
        button('Show', () => draw(outcome, graph, names), { 'aria-label': `Show outcome ${index + 1}` }),
      ),
    );
    return row;
  });
  const head = h('tr', {}, ...[...names, 'executions', 'race', 'graph'].map((name) => h('th', { scope: 'col' }, name)));
  parts.push(
    h('div', { class: 'scroll' }, h('table', { class: 'outcomes' }, h('thead', {}, head), h('tbody', {}, ...rows))),
    graph,
  );
  outcomes.replaceChildren(...parts);
  // The outcome that the test asks about, if it is allowed.
  const shown =
    found.find(({ values }) =>
      asked?.text.split(' ').every((one) => values[one.split('=')[0] ?? ''] === one.split('=')[1]),
    ) ?? found[0];
  if (shown !== undefined) draw(shown, graph, names);
}

function draw({ values, events, reads, coherence }: LitmusOutcome, into: HTMLElement, names: readonly string[]): void {
  const count = Math.max(...events.map(({ agent }) => agent)) + 1;
  const agents = Array.from({ length: count }, (_, i) => `thread ${i}`);
  const title = names.map((name) => `${name}=${values[name] ?? ''}`).join(' ');
  into.replaceChildren(
    h('h2', {}, `An execution with ${title}`),
    executionGraph({ agents, moreAgents: 0, events, reads, coherence, others: [] }, title),
  );
}
