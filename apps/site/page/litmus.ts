import './common.ts';
import { Client, WorkerProblem } from './client.ts';
import { litmusTests } from './litmus-tests.ts';
import type { LitmusOutcome, LitmusResult } from './protocol.ts';
import { button, element, h } from './ui/dom.ts';
import { Editor } from './ui/editor.ts';
import { executionGraph } from './ui/execution-graph.ts';

const client = new Client(new URL('worker.js', import.meta.url).href);
const first = litmusTests[0];
if (first === undefined) throw new TypeError('There is no litmus test.');
const editor = new Editor({
  parent: element('#litmus-code', HTMLElement),
  text: first.text,
  label: 'The litmus test',
  isCode: false,
  onChange: () => {
    element('#outcomes', HTMLElement).dataset['stale'] = 'true';
  },
});
const outcomes = element('#outcomes', HTMLElement);
const menu = h('select', { 'aria-label': 'Test', id: 'test' });
for (const { name, title } of litmusTests) menu.append(h('option', { value: name }, title));
menu.addEventListener('change', () => {
  const chosen = litmusTests.find(({ name }) => name === menu.value);
  if (chosen === undefined) return;
  editor.text = chosen.text;
  void enumerate();
});
element('#litmus-bar', HTMLElement).append(
  h('label', {}, h('span', {}, 'Test'), menu),
  button('Enumerate', () => void enumerate(), { class: 'primary', id: 'enumerate' }),
  button('Stop', () => client.stop()),
);
await client.ready;
await enumerate();

async function enumerate(): Promise<void> {
  outcomes.replaceChildren(h('p', { role: 'status' }, 'Enumerating …'));
  try {
    const result = await client.request({ kind: 'litmus', text: editor.text });
    outcomes.dataset['stale'] = 'false';
    show(result);
  } catch (error) {
    const message = error instanceof WorkerProblem ? error.problem.message : String(error);
    outcomes.replaceChildren(h('p', { class: 'verdict', 'data-state': 'bad', role: 'status' }, message));
  }
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

function draw({ values, events, reads }: LitmusOutcome, into: HTMLElement, names: readonly string[]): void {
  const count = Math.max(...events.map(({ agent }) => agent)) + 1;
  const agents = Array.from({ length: count }, (_, i) => `thread ${i}`);
  const title = names.map((name) => `${name}=${values[name] ?? ''}`).join(' ');
  into.replaceChildren(
    h('h2', {}, `An execution with ${title}`),
    executionGraph({ agents, moreAgents: 0, events, reads, others: [] }, title),
  );
}
