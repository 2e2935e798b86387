import './common.ts';

import { algorithmPrograms, counts, withCount, type AlgorithmProgram } from './algorithm-programs.ts';
import { Client, Stopped, WorkerProblem } from './client.ts';
import type { LinkBytes, PredictResult } from './protocol.ts';
import { button, element, caption, h } from './ui/dom.ts';
import { isObject, Kept } from './ui/kept.ts';
import { Playground } from './ui/playground.ts';

const named = new URLSearchParams(location.search).get('name');
const begun = algorithmPrograms.find(({ name }) => name === named) ?? algorithmPrograms[0];
if (begun === undefined) throw new TypeError('There is no algorithm.');
let shown: AlgorithmProgram = begun;
/** The reader's text of each algorithm. */
const kept = new Kept<Readonly<Record<string, string>>>('algorithms', isTexts);
let texts: Readonly<Record<string, string>> = kept.last ?? {};

const client = new Client(new URL('worker.js', import.meta.url).href);
const ranks = h('select', { 'aria-label': 'Ranks', id: 'ranks' });
for (const count of [2, 4, 8]) ranks.append(h('option', { value: String(count) }, String(count)));
ranks.value = '4';
const size = h('select', { 'aria-label': 'Elements', id: 'elements' });
for (const count of counts) size.append(h('option', { value: String(count) }, `${count} (${bytesText(4 * count)})`));
const about = element('#about', HTMLElement);
const choice = element('#algorithms', HTMLElement);
const links = element('#links', HTMLElement);
const times = element('#times', HTMLElement);
const playground = new Playground({
  root: element('#playground', HTMLElement),
  client,
  text: shown.text,
  machine: machine(),
  isEmbed: true,
});
Object.assign(globalThis, { playground });
const predict = button('Predict the time', () => void predictShown(), { id: 'predict' });
const compare = button('Compare all four', () => void compareAll(), { id: 'compare' });
element('#bar', HTMLElement).append(
  playground.run,
  playground.check,
  playground.stop,
  h('label', {}, h('span', {}, 'Ranks'), ranks),
  h('label', {}, h('span', {}, 'Elements'), size),
  predict,
  compare,
  button('Start over', startOver, { id: 'anew' }),
);
ranks.addEventListener('change', () => {
  playground.machine = machine();
});
size.addEventListener('change', () => {
  playground.text = withCount(playground.text, Number(size.value));
});
/** The program and the machine of the bytes and of the time that are shown. */
const measured = new Map<HTMLElement, string>();
playground.onRan = ({ traffic }) => {
  links.replaceChildren(linksView(traffic, playground.machine.ranks));
  measured.set(links, key());
  showAge();
};
playground.onChange = () => {
  showAge();
  const { text } = playground;
  if (text === withCount(shown.text, Number(size.value))) return;
  texts = { ...texts, [shown.name]: text };
  kept.keep(() => texts);
};
addEventListener('popstate', () => {
  const name = new URLSearchParams(location.search).get('name');
  const chosen = algorithmPrograms.find((one) => one.name === name);
  if (chosen !== undefined && chosen !== shown) choose(chosen);
});
choose(shown);

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((one) => typeof one === 'string');
}

function key(): string {
  return JSON.stringify([playground.text, playground.machine]);
}

/** Bytes and times of another text or machine say nothing about this one. */
function showAge(): void {
  for (const one of [links, times]) one.dataset['stale'] = String(measured.has(one) && measured.get(one) !== key());
}

/** The program of the site, without the reader's changes. An undo step brings these back. */
function startOver(): void {
  playground.text = withCount(shown.text, Number(size.value));
  texts = Object.fromEntries(Object.entries(texts).filter(([name]) => name !== shown.name));
  kept.keep(() => texts);
}

function machine(): Playground['machine'] {
  return { ranks: Number(ranks.value), seed: 1 };
}

function choose(program: AlgorithmProgram): void {
  if (program !== shown) history.pushState(null, '', `${location.pathname}?name=${program.name}`);
  shown = program;
  measured.clear();
  playground.text = withCount(texts[program.name] ?? program.text, Number(size.value));
  about.textContent = program.about;
  links.replaceChildren(h('p', { class: 'quiet' }, 'Run counts the bytes on each link.'));
  choice.replaceChildren(
    ...algorithmPrograms.map((one) =>
      button(one.title, () => choose(one), { 'aria-pressed': String(one === shown), 'data-algorithm': one.name }),
    ),
  );
}

/** A table with a row for each rank: the bytes that its kernels moved over each of its links. */
function linksView(traffic: readonly LinkBytes[], count: number): HTMLElement {
  const most = Math.max(1, ...traffic.map(({ loaded, stored }) => loaded + stored));
  const cellOf = (rank: number, peer: number): HTMLElement => {
    const link = traffic.find((one) => one.rank === rank && one.peer === peer);
    if (link === undefined) return h('td', { class: 'self' }, '–');
    const { loaded, stored } = link;
    const share = Math.ceil((4 * (loaded + stored)) / most);
    return h(
      'td',
      { 'data-share': String(share), 'data-link': `${rank} ${peer}` },
      h('span', {}, `${bytesText(loaded)} loaded`),
      h('span', {}, `${bytesText(stored)} stored`),
    );
  };
  const peers = Array.from({ length: count }, (_, peer) => peer);
  const all = traffic.reduce((sum, { loaded, stored }) => sum + loaded + stored, 0);
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'bytes on each link' },
    h(
      'table',
      { class: 'links' },
      caption(
        `${bytesText(all)} over all links. A row shows the bytes that a rank loads from and stores to its peers. Barriers store words too.`,
      ),
      h('thead', {}, h('tr', {}, h('td'), ...peers.map((peer) => h('th', { scope: 'col' }, `of rank ${peer}`)))),
      h(
        'tbody',
        {},
        ...peers.map((rank) =>
          h('tr', {}, h('th', { scope: 'row' }, `rank ${rank}`), ...peers.map((peer) => cellOf(rank, peer))),
        ),
      ),
    ),
  );
}

async function predictShown(): Promise<void> {
  await whileBusy(async () => {
    const { text, machine: own } = playground;
    measured.set(times, key());
    const { nanoseconds, bounds } = await client.request({ kind: 'predict', text, ranks: own.ranks, bounds: true });
    const rows = bounds.map((bound) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, bound.name),
        h('td', {}, `${Math.round((100 * bound.nanoseconds) / nanoseconds)} %`),
      ),
    );
    return h(
      'div',
      {},
      h('p', { class: 'verdict', role: 'status', 'data-state': 'good' }, `${timeText(nanoseconds)} on H100 GPUs.`),
      h(
        'table',
        { class: 'outcomes' },
        caption('Each row shows how much shorter the time would be if the cause cost nothing. Causes overlap.'),
        h('tbody', {}, ...rows),
      ),
    );
  });
}

/** The times of all four programs by size, in the order of the list. */
async function compareAll(): Promise<void> {
  await whileBusy(async () => {
    const { ranks: count } = playground.machine;
    // The four programs of the page, whatever the editor has.
    measured.delete(times);
    const rows: HTMLElement[] = [];
    for (const elements of counts) {
      const found: PredictResult[] = [];
      for (const { text } of algorithmPrograms) {
        const own = withCount(text, elements);
        found.push(await client.request({ kind: 'predict', text: own, ranks: count, bounds: false }));
      }
      const least = Math.min(...found.map(({ nanoseconds }) => nanoseconds));
      const cells = found.map(({ nanoseconds }) =>
        h('td', nanoseconds === least ? { class: 'least' } : {}, timeText(nanoseconds)),
      );
      rows.push(h('tr', {}, h('th', { scope: 'row' }, bytesText(4 * elements)), ...cells));
    }
    const head = algorithmPrograms.map(({ title }) => h('th', { scope: 'col' }, title));
    return h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'predicted times' },
      h(
        'table',
        { class: 'outcomes', id: 'compared' },
        caption(`Predicted times on ${count} H100 GPUs with NVLink. The shortest time of each size is bold.`),
        h('thead', {}, h('tr', {}, h('td'), ...head)),
        h('tbody', {}, ...rows),
      ),
    );
  });
}

async function whileBusy(work: () => Promise<HTMLElement>): Promise<void> {
  predict.disabled = compare.disabled = true;
  times.replaceChildren(h('p', { class: 'verdict', role: 'status', 'data-state': 'busy' }, 'Predicting …'));
  try {
    times.replaceChildren(await work());
  } catch (error) {
    const message =
      error instanceof Stopped ? 'Stopped.' : error instanceof WorkerProblem ? error.problem.message : String(error);
    times.replaceChildren(h('p', { class: 'verdict', role: 'status', 'data-state': 'bad' }, message));
  } finally {
    predict.disabled = compare.disabled = false;
    showAge();
  }
}

function bytesText(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${Number((bytes / 1024).toFixed(1))} KiB`;
}

function timeText(nanoseconds: number): string {
  return `${(nanoseconds / 1000).toFixed(2)} µs`;
}
