import { findingJson } from '@nccl-ts/findings';
import { diffLines } from '../output/diff-lines.ts';
import { predictedAlone, predictedJson } from './predicted-json.ts';
import {
  reasonText,
  type JudgedPlace,
  type RelaxReport,
  savedAlone,
  timesText,
  type PredictedTimes,
} from '@nccl-ts/relax';

/** The report as text: a line for each synchronization, and what can go together. */
export function relaxText(report: RelaxReport, times?: PredictedTimes): string {
  const { places, inputs, joint, diff } = report;
  const rows = places.map((one, i) => {
    return [
      one.judgement,
      sourceOf(one),
      one.place.instruction,
      `${reasonText(one, one.weakening?.does ?? '', 'the harness')}${savedAlone(times, i)}`,
    ] as const;
  });
  const wide = Math.max(0, ...rows.map(([judgement]) => judgement.length));
  const widest = Math.max(0, ...rows.map(([, source]) => source.length));
  const table = rows.map(
    ([judgement, source, instruction, reason]) =>
      `${judgement.padEnd(wide)}  ${source.padEnd(widest)}  ${shortened(instruction)}\n${' '.repeat(wide + 2)}${reason}`,
  );
  const together =
    joint.length === 0
      ? 'Nothing can go.'
      : `${joint.length} of these can go together, as far as these programs show:\n\n${diffLines(diff)}`;
  return `${[...table, '', ...inputsText(inputs), '', together, ...timesLines(times)].join('\n')}\n`;
}

/** The predicted times, after an empty line. Empty if nothing was predicted. */
export function timesLines(times: PredictedTimes | undefined): readonly string[] {
  const text = timesText(times);
  return text === '' ? [] : ['', text];
}

/** The inputs that have judged, and why the others could not. */
export function inputsText(inputs: RelaxReport['inputs']): readonly string[] {
  const usable = inputs.filter(({ unusable }) => unusable === undefined).map(({ name }) => name);
  const others = inputs.flatMap(({ name, unusable }) => (unusable === undefined ? [] : [`  ${name}: ${unusable}`]));
  return [
    `checked for every schedule: ${usable.join(', ')}`,
    ...(others.length === 0 ? [] : ['these could not judge:', ...others]),
  ];
}

/** The same as JSON. */
export function relaxJson({ places, inputs, joint, diff }: RelaxReport, times?: PredictedTimes): string {
  const value = {
    format: 'nccl-ts relax',
    version: 1,
    inputs,
    places: places.map(({ place, judgement, weakening, finding, input, why }, i) => ({
      judgement,
      kind: place.kind,
      instruction: place.instruction,
      line: place.line,
      source: place.source,
      ...(weakening === undefined ? {} : { weakening: weakening.does }),
      ...(input === undefined ? {} : { input }),
      ...(why === undefined ? {} : { why }),
      ...(finding === undefined ? {} : { finding: findingJson(finding, 1) }),
      ...predictedAlone(times, i),
    })),
    ...predictedJson(times),
    joint,
    diff,
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The most characters of an instruction that a line shows. */
const MOST = 60;

export function shortened(instruction: string): string {
  const text = instruction.replaceAll(/\s+/gu, ' ');
  return text.length <= MOST ? text : `${text.slice(0, MOST - 1)}…`;
}

function sourceOf({ place: { source, line } }: JudgedPlace): string {
  const [own] = source;
  return own === undefined ? `line ${line}` : `${own.file.split('/').at(-1)}:${own.line}`;
}
