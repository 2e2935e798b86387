import './common.ts';
import { Client } from './client.ts';
import { exampleGroups, examples, type Example } from './examples.ts';
import { button, element, h } from './ui/dom.ts';
import { Playground } from './ui/playground.ts';
import { isOwn, KeptPrograms, type Program } from './ui/kept-programs.ts';
import { fragmentOf, sharedOf, type Shared } from './ui/share.ts';

// The worker takes longest to load, so it starts first.
const client = new Client(new URL('worker.js', import.meta.url).href);
const [firstExample] = examples;
if (firstExample === undefined) throw new TypeError('There is no example.');
const kept = new KeptPrograms();
const sent = await sharedOf(location.hash);
const named = exampleOf(location.search);
const { resumed } = kept;
const shared = resumed === undefined && sent.kind === 'program' ? sent.shared : undefined;
const begun: Program =
  resumed ?? shared ?? (named === undefined ? kept.last : programOf(named)) ?? programOf(firstExample);
kept.replaces(begun.text);

const root = element('#playground', HTMLElement);
const bar = element('#bar', HTMLElement);

const ranks = select(
  'Ranks',
  [2, 3, 4, 5, 6, 7, 8].map((n) => [String(n), String(n)]),
  String(begun.ranks),
);
const nodes = select(
  'Machine',
  [['1', 'one NVLink domain'], ['2', 'two nodes'], ...('gpu' in navigator ? [['gpu', 'your GPU (WebGPU)']] : [])],
  String(begun.nodes),
);
const seed = h('input', {
  type: 'number',
  min: '1',
  max: '999999',
  value: String(begun.seed),
  'aria-label': 'Seed',
});
const menu = h(
  'select',
  { 'aria-label': 'Example' },
  h('option', { value: '', disabled: '' }, 'your own program'),
  ...exampleGroups.map(({ title, names }) =>
    h(
      'optgroup',
      { label: title },
      ...examples.filter(({ name }) => names.includes(name)).map((one) => h('option', { value: one.name }, one.title)),
    ),
  ),
);

const playground = new Playground({
  root,
  client,
  text: begun.text,
  machine: machine(),
  isEmbed: false,
});
// Tests and other scripts of the page use this object.
Object.assign(globalThis, { playground });

const status = h('span', { class: 'quiet', role: 'status' });
const options = h(
  'div',
  { class: 'options', id: 'options' },
  labelled('Example', menu),
  labelled('Ranks', ranks),
  labelled('Machine', nodes),
  labelled('Seed', seed),
  kept.menu((chosen) => {
    replace(chosen);
    history.pushState({}, '', location.pathname);
  }),
  button('Share', () => void share(), { id: 'share' }),
  button('Download', download),
);
// On a phone the options would push the program off the screen.
const more = button('More', () => showOptions(options.hidden !== false), { id: 'more', 'aria-controls': 'options' });
showOptions(false);
bar.append(playground.run, playground.check, playground.stop, more, options, status);
for (const input of [ranks, nodes, seed]) {
  input.addEventListener('change', () => {
    playground.machine = machine();
  });
}
menu.addEventListener('change', () => {
  const chosen = examples.find(({ name }) => name === menu.value);
  if (chosen === undefined) return;
  // The way back leads to the program as it is now.
  history.replaceState({ program: program() }, '');
  const wasOwn = isOwn(playground.text);
  replace({ ...program(), text: chosen.text, nodes: chosen.nodes ?? 1 });
  history.pushState({}, '', `${location.pathname}?example=${chosen.name}`);
  status.textContent = wasOwn ? 'Your program is kept. Ctrl+Z brings it back, and “Your programs” has it too.' : '';
});
addEventListener('popstate', ({ state }) => {
  const before: unknown = state;
  const example = exampleOf(location.search);
  const found = KeptPrograms.programIn(before) ?? (example === undefined ? undefined : programOf(example));
  if (found !== undefined) replace(found);
});
// Another link in the same tab changes only the fragment.
addEventListener('hashchange', () => {
  if (/^#v\d+;/.test(location.hash)) location.reload();
});
document.addEventListener('keydown', (event) => {
  const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  const { target } = event;
  const takesKeys = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (!isUndo || takesKeys || (target instanceof HTMLElement && target.isContentEditable)) return;
  if (playground.editor.undo()) event.preventDefault();
});
playground.onChange = () => {
  kept.keep(program);
  nameProgram();
};
nameProgram();
for (const side of ['code', 'result'] as const) {
  element(`#side-${side}`, HTMLButtonElement).addEventListener('click', () => turnTo(side));
}
playground.onResult = () => {
  const hasResult = playground.last !== undefined || playground.stepped !== undefined;
  if (hasResult && document.activeElement?.closest('.code-pane') === null) turnTo('result');
};
playground.onCode = () => turnTo('code');
turnTo('code');

if (sent.kind === 'problem' && resumed === undefined) {
  playground.tell(
    'bad',
    `${sent.why} The page shows ${isOwn(begun.text) ? 'your own program' : 'an example'} instead.`,
  );
}
if (shared !== undefined) holdBack(shared);

/** A program of somebody else runs only after the reader has pressed a button. */
function holdBack(given: Shared): void {
  const { view, action, replay, finding, step } = given;
  const why = 'This program comes from a link. Nothing of it has run: read it first.';
  if (view !== undefined) {
    const what = view === 'history' ? 'Show its memory over time' : 'Step through its executions';
    playground.holdBack(why, what, async () => playground.showSteps(view, step));
  } else if (action === 'check') {
    playground.holdBack(why, 'Check it, as the sender did', async () => {
      await playground.checkNow(replay);
      if (finding !== undefined) playground.showFingerprint(finding);
    });
  } else playground.holdBack(why, 'Run it', async () => playground.runNow());
}

function exampleOf(search: string): Example | undefined {
  const name = new URLSearchParams(search).get('example');
  return examples.find((one) => one.name === name);
}

function programOf({ text, nodes: count = 1 }: Example): Program {
  return { text, ranks: 4, nodes: count, seed: 1 };
}

function program(): Program {
  return { text: playground.text, ranks: Number(ranks.value), nodes: nodes.value === '2' ? 2 : 1, seed: seedOf() };
}

/** Shows another program and its machine. The program before it stays within reach. */
function replace(next: Program): void {
  kept.putAside(program());
  ranks.value = String(next.ranks);
  nodes.value = String(next.nodes);
  seed.value = String(next.seed);
  playground.text = next.text;
  playground.machine = machine();
}

/** The menu names the program that is shown. */
function nameProgram(): void {
  menu.value = examples.find(({ text }) => text === playground.text)?.name ?? '';
}

function seedOf(): number {
  return Math.max(1, Math.round(Number(seed.value)) || 1);
}

/** Wide screens show the options in any case. */
function showOptions(areShown: boolean): void {
  options.hidden = !areShown;
  more.setAttribute('aria-expanded', String(areShown));
}

function turnTo(side: 'code' | 'result'): void {
  document.documentElement.dataset['side'] = side;
  for (const one of ['code', 'result'] as const) {
    element(`#side-${one}`, HTMLButtonElement).setAttribute('aria-pressed', String(one === side));
  }
}

function machine(): Playground['machine'] {
  const count = Number(ranks.value);
  const isTwo = nodes.value === '2' && count % 2 === 0;
  return {
    ranks: count,
    seed: seedOf(),
    ...(isTwo ? { lsaSize: count / 2 } : {}),
    ...(nodes.value === 'gpu' ? { isGpu: true } : {}),
  };
}

async function share(): Promise<void> {
  const { last, finding, replay, stepped } = playground;
  try {
    const fragment = await fragmentOf({
      // The recipient of the link may have no GPU.
      ...program(),
      ...(last === undefined ? {} : { action: last }),
      ...(finding === undefined ? {} : { finding }),
      ...(replay === undefined ? {} : { replay }),
      ...stepped,
    });
    history.replaceState(null, '', `${location.pathname}${fragment}`);
    kept.keep(program);
  } catch (error) {
    status.textContent = error instanceof RangeError ? error.message : String(error);
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href);
    status.textContent = 'The link is in the clipboard.';
  } catch {
    status.textContent = 'The link is in the address bar.';
  }
}

/**
 * Downloads the program, which also runs with `nccl-ts run kernel.ts` and
 * `nccl-ts check kernel.ts`.
 */
function download(): void {
  const url = URL.createObjectURL(new Blob([playground.text], { type: 'text/plain' }));
  const link = h('a', { href: url, download: 'kernel.ts' });
  link.click();
  URL.revokeObjectURL(url);
}

function select(
  label: string,
  entries: readonly (readonly [string, string] | string[])[],
  chosen: string,
): HTMLSelectElement {
  const made = h('select', { 'aria-label': label });
  for (const [value = '', text = ''] of entries) made.append(h('option', { value }, text));
  made.value = chosen;
  return made;
}

function labelled(text: string, input: HTMLElement): HTMLElement {
  return h('label', {}, h('span', {}, text), input);
}
