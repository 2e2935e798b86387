import './common.ts';
import { Client } from './client.ts';
import { examples } from './examples.ts';
import { button, element, h } from './ui/dom.ts';
import { Playground } from './ui/playground.ts';
import { fragmentOf, sharedOf } from './ui/share.ts';

// The worker takes longest to load, so it starts first.
const client = new Client(new URL('worker.js', import.meta.url).href);
const shared = await sharedOf(location.hash);
const named = new URLSearchParams(location.search).get('example');
const example = examples.find(({ name }) => name === named) ?? examples[0];
if (example === undefined) throw new TypeError('There is no example.');

// The menu must name the program that is shown.
const shownExample = examples.find(({ text }) => text === shared?.text);
const isOwn = shared !== undefined && shownExample === undefined;
const root = element('#playground', HTMLElement);
const bar = element('#bar', HTMLElement);

const ranks = select(
  'Ranks',
  [2, 3, 4, 5, 6, 7, 8].map((n) => [String(n), String(n)]),
  String(shared?.ranks ?? 4),
);
const nodes = select(
  'Machine',
  [['1', 'one NVLink domain'], ['2', 'two nodes'], ...('gpu' in navigator ? [['gpu', 'your GPU (WebGPU)']] : [])],
  String(shared?.nodes ?? 1),
);
const seed = h('input', {
  type: 'number',
  min: '1',
  max: '999999',
  value: String(shared?.seed ?? 1),
  'aria-label': 'Seed',
});
const menu = select(
  'Example',
  [...(isOwn ? [['', 'a program from a link']] : []), ...examples.map(({ name, title }) => [name, title])],
  isOwn ? '' : (shownExample?.name ?? example.name),
);

const playground = new Playground({
  root,
  client,
  text: shared?.text ?? example.text,
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
  if (chosen !== undefined) playground.text = chosen.text;
});
for (const side of ['code', 'result'] as const) {
  element(`#side-${side}`, HTMLButtonElement).addEventListener('click', () => turnTo(side));
}
playground.onResult = () => {
  const hasResult = playground.last !== undefined || playground.stepped !== undefined;
  if (hasResult && document.activeElement?.closest('.code-pane') === null) turnTo('result');
};
playground.onCode = () => turnTo('code');
turnTo('code');

if (shared?.view !== undefined) {
  await playground.showSteps(shared.view, shared.step);
} else if (shared?.action !== undefined) {
  if (shared.action === 'run') await playground.runNow();
  else await playground.checkNow(shared.replay);
  if (shared.finding !== undefined) playground.showFingerprint(shared.finding);
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
    seed: Math.max(1, Number(seed.value)),
    ...(isTwo ? { lsaSize: count / 2 } : {}),
    ...(nodes.value === 'gpu' ? { isGpu: true } : {}),
  };
}

async function share(): Promise<void> {
  const { text, last, finding, replay, stepped } = playground;
  const fragment = await fragmentOf({
    text,
    ranks: Number(ranks.value),
    seed: Math.max(1, Number(seed.value)),
    // The recipient of the link may have no GPU.
    nodes: nodes.value === '2' ? 2 : 1,
    ...(last === undefined ? {} : { action: last }),
    ...(finding === undefined ? {} : { finding }),
    ...(replay === undefined ? {} : { replay }),
    ...stepped,
  });
  history.replaceState(null, '', `${location.pathname}${fragment}`);
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
