import type { RelaxResult } from '../protocol.ts';
import { button, h } from './dom.ts';
import type { LineMark } from './editor.ts';
import { time } from './playground-texts.ts';
import { sentence } from './results.ts';

export interface RelaxActions {
  readonly onLine: (line: number) => void;
  /** Applies the offers that can be written. */
  readonly onApply: () => void;
}

/** The synchronizations of a program, and what can go. */
export function relaxView(result: RelaxResult, { onLine, onApply }: RelaxActions): HTMLElement {
  const { places, times, inputs, unusable, written, together } = result;
  const rows = places.map(({ line, name, kernel, judgement, reason }) =>
    h(
      'li',
      {},
      h('b', {}, judgement),
      ` ${name} of ${kernel} `,
      button(`line ${line}`, () => onLine(line), { class: 'link' }),
      h('p', { class: 'quiet' }, reason),
    ),
  );
  const rest = together - written;
  const wrong = unusable.filter(isWrong);
  return h(
    'div',
    { class: 'relax' },
    h('ul', { class: 'reads' }, ...rows),
    wrong.length === 0
      ? undefined
      : h(
          'div',
          { class: 'missing' },
          h('p', {}, h('b', {}, 'The program is wrong in other inputs'), ', so these judge nothing:'),
          h('ul', {}, ...wrong.map((one) => h('li', {}, one))),
        ),
    written === 0
      ? undefined
      : button(`Apply ${written === 1 ? 'the offer' : `${written} offers`}, and check`, onApply, {
          class: 'fix',
          id: 'apply-offers',
        }),
    times === '' ? undefined : h('p', {}, sentence(times)),
    rest === 0 ? undefined : h('p', { class: 'quiet' }, `${countOf(rest, 'offer')} more, for you to write.`),
    h('p', { class: 'quiet' }, `An offer holds for every schedule of these inputs: ${inputs.join(', ')}.`),
    ...unusable.filter((one) => !isWrong(one)).map((one) => h('p', { class: 'quiet' }, `Could not judge: ${one}.`)),
  );
}

/** The result as a sentence. */
export function relaxSentence({ places, milliseconds }: RelaxResult): string {
  const offers = places.filter(({ isOffer }) => isOffer).length;
  const all = countOf(places.length, 'synchronization');
  const what = offers === 0 ? 'no offer' : countOf(offers, 'offer');
  return `${all}: ${what}. It took ${time(milliseconds)}.`;
}

/** The lines of the offers, which the editor shows pale. */
export function unneededLines({ places }: RelaxResult): readonly LineMark[] {
  return places.flatMap(({ line, isOffer }) =>
    isOffer ? [{ line, column: 1, endColumn: 1, label: '', kind: 'unneeded' as const }] : [],
  );
}

/** An input in which the program as it is has an error. */
function isWrong(unusable: string): boolean {
  return unusable.includes('it is wrong there');
}

function countOf(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
