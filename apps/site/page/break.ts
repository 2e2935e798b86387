import './common.ts';
import { Client } from './client.ts';
import { tasks, type Exercise } from './tasks.ts';
import { button, element, h } from './ui/dom.ts';
import { Playground } from './ui/playground.ts';

const machine = { ranks: 4, seed: 1 } as const;
const begun = tasks.find(({ name }) => name === new URLSearchParams(location.search).get('task')) ?? tasks[0];
if (begun === undefined) throw new TypeError('There is no task.');
let task: Exercise = begun;

const client = new Client(new URL('worker.js', import.meta.url).href);
const taskElement = element('#task', HTMLElement);
const answer = h('p', { class: 'answer', role: 'status' });
const playground = new Playground({
  root: element('#playground', HTMLElement),
  client,
  text: task.text,
  machine,
  isEmbed: true,
  hasFixes: false,
});
Object.assign(globalThis, { playground });
element('#bar', HTMLElement).append(
  playground.check,
  playground.run,
  playground.stop,
  button('Begin anew', () => choose(task), { id: 'anew' }),
  button('Show a solution', solve, { id: 'solve' }),
);
playground.check.classList.add('primary');
playground.run.classList.remove('primary');
playground.onChecked = (verdict) => void judge(verdict);
drawLists();
choose(task);

function choose(chosen: Exercise): void {
  task = chosen;
  playground.text = task.text;
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
async function judge(verdict: string): Promise<void> {
  const { text } = playground;
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
    if (JSON.stringify(own.results) !== JSON.stringify(expected.results)) {
      answer.textContent = 'Not yet: the check finds no error, but the results are wrong.';
      return;
    }
  }
  answer.textContent = kind === 'break' ? 'Broken. The card below shows the finding.' : 'Repaired.';
  localStorage.setItem('tasks', [...new Set([...done(), name])].join(' '));
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
