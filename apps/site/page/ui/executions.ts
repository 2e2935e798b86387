import type { Executions, OpenRead } from '../protocol.ts';
import { button, h } from './dom.ts';
import { executionGraph } from './execution-graph.ts';
import { stepBar, type StepActions, type Stepped } from './step-bar.ts';

/**
 * The executions that the memory model allows. For each open read it shows the write that it
 * returned, and the alternatives.
 */
export function executionsView({ executions, complete }: Executions, { onLine, onStep }: StepActions): Stepped {
  const list = h('div', {});
  const about = h('p', { class: 'who', role: 'status' });
  const draw = (step: number): void => {
    const now = executions[step];
    if (now === undefined) return;
    const races = now.races === 0 ? 'no race' : `${now.races} race${now.races === 1 ? '' : 's'}`;
    const none = now.reads.length === 0 ? ' Every read returns the same write in all executions.' : '';
    about.textContent = `This execution has ${races}${now.isStuck ? ', and threads that wait forever' : ''}.${none}`;
    list.replaceChildren(
      h('ul', { class: 'reads' }, ...now.reads.map((read) => h('li', {}, ...readView(read, onLine)))),
      ...(now.graph.events.length === 0 ? [] : [executionGraph(now.graph, `execution ${step + 1}`)]),
    );
    onStep(
      step,
      now.reads.flatMap(({ line }) => line ?? []),
    );
  };
  const bar = stepBar('Execution', executions.length, draw);
  const all = complete ? 'These are all.' : 'There are more, but the page stops here.';
  const root =
    executions.length === 0
      ? h('p', { class: 'quiet' }, 'No execution was found within the limits of this page.')
      : h('div', { class: 'history' }, bar.root, about, list, h('p', { class: 'quiet' }, all));
  return { root, count: executions.length, go: bar.go };
}

function readView({ who, where, value, took, others, line }: OpenRead, onLine: (line: number) => void): Node[] {
  const place = line === undefined ? '' : button(`line ${line}`, () => onLine(line), { class: 'link' });
  return [
    h('p', {}, h('b', {}, value), ` read by ${who}, from ${where} `, place),
    h('p', {}, `It took ${took}.`),
    h('p', { class: 'quiet' }, `It might have taken ${others.join('; or ')}.`),
  ];
}
