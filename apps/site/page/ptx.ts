import './common.ts';
import { Client, Stopped, WorkerProblem } from './client.ts';
import type { MuseumCase } from './museum-case.ts';
import type { CheckResult, LaunchChange } from './protocol.ts';
import { button, element, h } from './ui/dom.ts';
import { Editor } from './ui/editor.ts';
import { LaunchFields } from './ui/launch-fields.ts';
import { findingCards, marksOf, sentence } from './ui/results.ts';

/** The pause after typing before the fields are read from the text again, in ms. */
const PAUSE = 200;
let timer: ReturnType<typeof setTimeout> | undefined;

const client = new Client(new URL('worker.js', import.meta.url).href);
const cases = (await (await fetch(new URL('museum.json', import.meta.url))).json()) as readonly MuseumCase[];
const named = new URLSearchParams(location.search).get('case');
const begun = cases.find(({ name }) => name === named) ?? cases.find(({ name }) => name === 'no-end-barrier/broken');
let cuda: string | undefined = begun?.cuda;
let residentCtas = begun?.residentCtas;

const ptx = new Editor({
  parent: element('#ptx-code', HTMLElement),
  text: begun?.ptx ?? '',
  label: 'PTX',
  isCode: false,
  onChange: changed,
});
const launch = new Editor({
  parent: element('#launch-code', HTMLElement),
  text: begun?.launch ?? '',
  label: 'The launch',
  onChange: changed,
});
const fields = new LaunchFields({
  root: element('#launch-fields', HTMLElement),
  onEdit: (start, end, insert) => launch.view.dispatch({ changes: { from: start, to: end, insert } }),
  onChange: (change) => void drawFields(change),
});
const result = element('#ptx-result', HTMLElement);
const source = new Editor({
  parent: element('#cuda-code', HTMLElement),
  text: cuda ?? '',
  label: 'CUDA C++',
  isReadOnly: true,
});

const menu = h('select', { 'aria-label': 'Example', id: 'case' });
menu.append(h('option', { value: '' }, 'your own'));
for (const { name, title } of cases) menu.append(h('option', { value: name }, title));
menu.value = begun?.name ?? '';
menu.addEventListener('change', () => {
  const chosen = cases.find(({ name }) => name === menu.value);
  cuda = chosen?.cuda;
  residentCtas = chosen?.residentCtas;
  ptx.text = chosen?.ptx ?? '';
  launch.text = chosen?.launch ?? '';
  source.text = cuda ?? '';
  result.replaceChildren();
});
const check = button('Check', () => void checkNow(), { class: 'primary', id: 'check' });
element('#ptx-bar', HTMLElement).append(
  h('label', {}, h('span', {}, 'Example'), menu),
  check,
  button('Stop', () => client.stop()),
  button('Describe the launch', () => void draft(), { title: 'Writes a template for the launch of the first entry' }),
);
for (const view of ['fields', 'text'] as const) {
  element(`#launch-as-${view}`, HTMLButtonElement).addEventListener('click', () => showLaunchAs(view));
}
showLaunchAs('fields');
await client.ready;
await drawFields();
document.documentElement.dataset['ready'] = String(Math.round(performance.now()));

function showLaunchAs(shown: 'fields' | 'text'): void {
  for (const view of ['fields', 'text'] as const) {
    element(`#launch-as-${view}`, HTMLButtonElement).setAttribute('aria-pressed', String(view === shown));
  }
  element('#launch-fields', HTMLElement).hidden = shown !== 'fields';
  element('#launch-code', HTMLElement).hidden = shown !== 'text';
}

function changed(): void {
  element('#ptx-result', HTMLElement).dataset['stale'] = 'true';
  clearTimeout(timer);
  timer = setTimeout(() => void drawFields(), PAUSE);
}

/** Shows the launch as fields. A change of a field's form comes back as a new text. */
async function drawFields(change?: LaunchChange): Promise<void> {
  const [givenPtx, text] = [ptx.text, launch.text];
  try {
    const form = await client.request({
      kind: 'launch',
      ptx: givenPtx,
      launch: text,
      ...(change === undefined ? {} : { change }),
    });
    // The positions are of a text that one has changed since.
    if (launch.text !== text || ptx.text !== givenPtx) return;
    if (form.text !== undefined) launch.text = form.text;
    fields.show(form);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
}

async function draft(): Promise<void> {
  try {
    launch.text = await client.request({ kind: 'draft', ptx: ptx.text });
    cuda = undefined;
    residentCtas = undefined;
  } catch (error) {
    showError(error);
  }
}

async function checkNow(): Promise<void> {
  check.disabled = true;
  const status = h('p', { class: 'verdict', role: 'status', 'data-state': 'busy' }, 'Checking …');
  result.replaceChildren(status);
  result.dataset['stale'] = 'false';
  try {
    const request = {
      kind: 'ptx',
      ptx: ptx.text,
      launch: launch.text,
      ...(cuda === undefined ? {} : { cuda }),
      ...(residentCtas === undefined ? {} : { residentCtas }),
    } as const;
    const answer = await client.request(request, {
      onPhase: (phase) => {
        status.textContent = `Checking: ${phase}`;
      },
    });
    show(answer);
  } catch (error) {
    showError(error);
  } finally {
    check.disabled = false;
  }
}

function show(answer: CheckResult): void {
  const { verdict, findings } = answer.report;
  const file = findings.flatMap(({ labels }) => labels.flatMap(({ place }) => place?.file ?? []))[0] ?? 'kernel.ptx';
  const isPtx = file.endsWith('.ptx');
  const marked = isPtx ? ptx : source;
  const [first] = findings;
  result.replaceChildren(
    h(
      'p',
      { class: 'verdict', role: 'status', 'data-state': verdict === 'clean' ? 'good' : 'bad', 'data-verdict': verdict },
      sentence(answer.verdict),
    ),
    findingCards(answer, file, {
      onLine: (line) => marked.goTo(line),
      onShow: (finding) => marked.mark(marksOf(finding, file)),
    }),
    h('details', {}, h('summary', {}, 'The report'), h('pre', { class: 'report', tabindex: '0' }, answer.text)),
  );
  marked.mark(first === undefined ? [] : marksOf(first, file));
  const [mark] = first === undefined ? [] : marksOf(first, file);
  if (mark !== undefined) marked.reveal(mark.line);
}

function showError(error: unknown): void {
  const message =
    error instanceof Stopped ? 'Stopped.' : error instanceof WorkerProblem ? error.problem.message : String(error);
  result.replaceChildren(
    h('p', { class: 'verdict', role: 'status', 'data-state': 'bad' }, message.split('\n')[0]),
    h('pre', { class: 'report', tabindex: '0' }, message),
  );
}
