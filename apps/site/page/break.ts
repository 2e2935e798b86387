import './common.ts';
import { Client } from './client.ts';
import { tasks, type Exercise } from './tasks.ts';
import { button, element, h } from './ui/dom.ts';
import { Kept } from './ui/kept.ts';
import { Playground } from './ui/playground.ts';

const machine = { ranks: 4, seed: 1 } as const;
const begun = tasks.find(({ name }) => name === taskOf(location.search)) ?? tasks[0];
if (begun === undefined) throw new TypeError('There is no task.');
let task: Exercise = begun;
/** The reader's text of each task. */
const kept = new Kept<Readonly<Record<string, string>>>('break', isTexts);
let texts: Readonly<Record<string, string>> = kept.last ?? {};

const client = new Client(new URL('worker.js', import.meta.url).href);
const taskElement = element('#task', HTMLElement);
const answer = h('p', { class: 'answer', role: 'status' });
const playground = new Playground({
  root: element('#playground', HTMLElement),
  client,
  text: texts[task.name] ?? task.text,
  machine,
  isEmbed: true,
  hasFixes: false,
});
Object.assign(globalThis, { playground });
element('#bar', HTMLElement).append(
  playground.check,
  playground.run,
  playground.stop,
  button('Start over', startOver, { id: 'anew' }),
  button('Show a solution', solve, { id: 'solve' }),
);
playground.check.classList.add('primary');
playground.run.classList.remove('primary');
playground.onChecked = (verdict, text) => void judge(verdict, text);
playground.onFailed = (message) => {
  answer.textContent = `Not yet: ${message}`;
};
playground.onChange = () => {
  // A verdict on another text says nothing about this one.
  answer.textContent = '';
  const { text } = playground;
  if (text === task.text) return;
  texts = { ...texts, [task.name]: text };
  kept.keep(() => texts);
};
addEventListener('popstate', () => {
  const chosen = tasks.find(({ name }) => name === taskOf(location.search));
  if (chosen !== undefined && chosen !== task) choose(chosen);
});
drawLists();
choose(task);

function taskOf(search: string): string | null {
  return new URLSearchParams(search).get('task');
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
}

/** The text of the task, without the reader's changes. An undo step brings these back. */
function startOver(): void {
  playground.text = task.text;
  texts = Object.fromEntries(Object.entries(texts).filter(([name]) => name !== task.name));
  kept.keep(() => texts);
}

function choose(chosen: Exercise): void {
  if (chosen !== task) history.pushState(null, '', `${location.pathname}?task=${chosen.name}`);
  task = chosen;
  playground.text = texts[task.name] ?? task.text;
  answer.textContent = '';
  taskElement.replaceChildren(
    h('h2', {}, task.title),
    h(
      'p',
      {},
      task.kind === 'break'
        ? `Change the program so that the check reports a ${task.wanted}.`
        : 'Change the program until the check finds no error.',
    ),
    h('details', {}, h('summary', {}, 'A hint'), h('p', {}, task.hint)),
    answer,
  );
  drawLists();
}

function solve(): void {
  playground.text = task.solved;
  void playground.checkNow();
}

/**
 * A repaired program must compute the same result as the solution, because a program that does
 * nothing is clean too.
 */
async function judge(verdict: string, text: string): Promise<void> {
  if (text !== playground.text) return;
  const { name, kind, wanted, solved } = task;
  if (verdict !== wanted) {
    answer.textContent =
      kind === 'break' ? `Not yet: the check must report a ${wanted}.` : 'Not yet: the check must find no error.';
    return;
  }
  if (kind === 'repair') {
    const [own, expected] = [
      await client.request({ kind: 'run', text, machine, width: 400 }),
      await client.request({ kind: 'run', text: solved, machine, width: 400 }),
    ];
    if (text !== playground.text) return;
    if (JSON.stringify(own.results) !== JSON.stringify(expected.results)) {
      answer.textContent = 'Not yet: the check finds no error, but the results are wrong.';
      return;
    }
  }
  answer.textContent = kind === 'break' ? 'Broken. Findings shows how.' : 'Repaired.';
  try {
    localStorage.setItem('tasks', [...new Set([...done(), name])].join(' '));
  } catch {
    // The reader has turned storage off.
  }
  drawLists();
}

function done(): readonly string[] {
  return (localStorage.getItem('tasks') ?? '').split(' ').filter((name) => name !== '');
}

function drawLists(): void {
  const finished = done();
  for (const kind of ['break', 'repair'] as const) {
    const own = tasks.filter((one) => one.kind === kind);
    element(`#${kind}`, HTMLElement).replaceChildren(
      ...own.map((one) => {
        const isDone = finished.includes(one.name);
        const title = button(`${isDone ? '✓ ' : ''}${one.title}`, () => choose(one), {
          class: 'task',
          'data-task': one.name,
          ...(one === task ? { 'aria-current': 'true' } : {}),
        });
        return h('li', {}, title);
      }),
    );
  }
}
