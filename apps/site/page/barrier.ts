import './common.ts';
import { at } from '@nccl-ts/core';

import { Client } from './client.ts';
import type { BarrierState } from './protocol.ts';
import { button, element, h, svg } from './ui/dom.ts';

/** The number of times that each rank comes to the barrier. */
const ROUNDS = 3;

const client = new Client(new URL('worker.js', import.meta.url).href);
const picture = element('#states', HTMLElement);
const ranks = h('select', { 'aria-label': 'Ranks', id: 'ranks' });
for (const count of [2, 3, 4]) ranks.append(h('option', { value: String(count) }, String(count)));
ranks.value = '3';
const slider = h('input', { type: 'range', min: '0', value: '0', id: 'step', 'aria-label': 'Step' });
const next = h('div', { class: 'row', role: 'group', 'aria-label': 'Choose the next rank' });
let order: number[] = [1, 0, 2, 2, 0, 1];
let states: readonly BarrierState[] = [];

element('#barrier-bar', HTMLElement).append(
  h('label', {}, h('span', {}, 'Ranks'), ranks),
  button('Previous step', () => go(Number(slider.value) - 1), { id: 'back' }),
  slider,
  button('Next step', () => go(Number(slider.value) + 1), { class: 'primary', id: 'on' }),
  button('Start over', () => void show([], 0), { id: 'anew' }),
);
element('#next', HTMLElement).append(next);
ranks.addEventListener('change', () => void show([], 0));
slider.addEventListener('input', () => draw());
await client.ready;
await show(order, 0);
document.documentElement.dataset['ready'] = String(Math.round(performance.now()));

/** Asks the simulator for the states after this order of arrivals. */
async function show(arrivals: readonly number[], step: number): Promise<void> {
  order = [...arrivals];
  states = await client.request({ kind: 'barrier', ranks: Number(ranks.value), order });
  slider.max = String(states.length - 1);
  go(step);
}

function go(step: number): void {
  slider.value = String(Math.max(0, Math.min(states.length - 1, step)));
  draw();
}

function draw(): void {
  const step = Number(slider.value);
  const state = states[step];
  if (state === undefined) return;
  slider.setAttribute('aria-valuetext', sentenceOf(state));
  picture.replaceChildren(
    h(
      'p',
      { class: 'verdict', role: 'status', 'data-state': state.waits.length === 0 ? 'good' : 'none' },
      [`Step ${step} of ${states.length - 1}. `, sentenceOf(state)].join(''),
    ),
    pictureOf(state),
    tableOf(state),
  );
  // A waiting rank cannot arrive again, and at the last step the reader chooses the next arrival.
  const isWaiting = new Set(state.waits.map(({ rank }) => rank));
  next.replaceChildren(
    ...state.arrived.map((times, rank) =>
      button(`Rank ${rank} arrives`, () => void show([...order.slice(0, step), rank], step + 1), {
        ...(isWaiting.has(rank) || times >= ROUNDS ? { disabled: '' } : {}),
        'data-rank': String(rank),
      }),
    ),
  );
}

const ordinals: Readonly<Record<number, string>> = { 2: 'second', 3: 'third' };

function sentenceOf({ came, arrived, waits }: BarrierState): string {
  const begin =
    came === undefined
      ? 'No rank has arrived.'
      : `Rank ${came} has arrived${at(arrived, came) === 1 ? '' : ` for the ${ordinals[at(arrived, came)]} time`}, and told its peers.`;
  if (waits.length === 0) return came === undefined ? begin : `${begin} No rank waits: all continue.`;
  const parts = arrived.flatMap((_, rank) => {
    const peers = waits.filter((one) => one.rank === rank).map(({ peer }) => peer);
    const named = peers.toSorted((a, b) => a - b).map((peer) => `rank ${peer}`);
    return named.length === 0 ? [] : [`rank ${rank} for ${named.join(' and ')}`];
  });
  return `${begin} Waiting: ${parts.join('; ')}.`;
}

/** Draws a box for each rank with its inbox: one word for each peer. Boxes wrap on a phone. */
function pictureOf(state: BarrierState): HTMLElement {
  return h(
    'div',
    { class: 'inboxes', role: 'group', 'aria-label': 'the inboxes' },
    ...state.arrived.map((_, rank) => inboxOf(state, rank)),
  );
}

function inboxOf({ arrived, waits, came }: BarrierState, rank: number): SVGElement {
  const epoch = at(arrived, rank);
  const [width, height] = [224, 80 + 34 * (arrived.length - 1)];
  const isWaiting = waits.some((one) => one.rank === rank);
  const words = arrived.flatMap((told, peer) => {
    if (peer === rank) return [];
    const y = 70 + 34 * (peer > rank ? peer - 1 : peer);
    const missing = waits.some((one) => one.rank === rank && one.peer === peer);
    return [
      svg('rect', { x: 14, y, width: width - 28, height: 26, rx: 4, class: missing ? 'word lacks' : 'word' }),
      svg('text', { x: 24, y: y + 18 }, `from rank ${peer}: ${told}${missing ? `, needs ${epoch}` : ''}`),
    ];
  });
  const box = { x: 2, y: 2, width: width - 4, height: height - 4, rx: 6, class: `box${came === rank ? ' came' : ''}` };
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' },
    svg('title', {}, `The inbox of rank ${rank}`),
    svg('rect', box),
    svg('text', { x: 14, y: 28, class: 'head' }, `rank ${rank}`),
    svg('text', { x: 14, y: 52 }, `epoch ${epoch}: ${epoch === 0 ? 'not arrived' : isWaiting ? 'waits' : 'went on'}`),
    ...words,
  );
}

/** Shows the words that the simulator reports. */
function tableOf({ waits }: BarrierState): HTMLElement {
  if (waits.length === 0) return h('p', { class: 'quiet' }, 'The simulator reports no waiting rank.');
  const head = ['rank', 'waits for the word of', 'which is', 'and must be'].map((name) =>
    h('th', { scope: 'col' }, name),
  );
  const rows = waits.map(({ rank, peer, value, needed }) =>
    h('tr', {}, ...[`rank ${rank}`, `rank ${peer}`, String(value), needed].map((text) => h('td', {}, text))),
  );
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'words that ranks wait for' },
    h('table', { class: 'outcomes' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...rows)),
  );
}
