import { findingJson } from '@nccl-ts/findings';
import { RESOLUTION } from '@nccl-ts/prediction';
import type { PredictedTimes } from './predicted-times.ts';
import { reasonText, type JudgedPlace, type RelaxReport } from '@nccl-ts/relax';

/** The report as text: a line for each synchronization, and what can go together. */
export function relaxText(report: RelaxReport, times?: PredictedTimes): string {
  const { places, inputs, joint, diff } = report;
  const rows = places.map((one, i) => {
    const alone = times?.alone.get(i);
    const saved = times === undefined || alone === undefined ? '' : `; ${savedText(times.nanoseconds, alone)}`;
    return [
      one.judgement,
      sourceOf(one),
      one.place.instruction,
      `${reasonText(one, one.weakening?.does ?? '', 'the harness')}${saved}`,
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
      : `${joint.length} of these can go together, as far as these programs show:\n\n${diff.trimEnd()}`;
  return `${[...table, '', ...inputsText(inputs), '', together, ...timesText(times)].join('\n')}\n`;
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

function timesText(times: PredictedTimes | undefined): readonly string[] {
  if (times?.together === undefined) return [];
  const { machine, ranks, nanoseconds, together } = times;
  const saved = savedText(nanoseconds, together);
  return [
    '',
    `all launches predicted on ${ranks} ranks of ${machine}: ${microseconds(nanoseconds)} us before, ${microseconds(together)} us after (${saved})`,
  ];
}

/** The part of a time that a change saves. */
function savedText(before: number, after: number): string {
  if (Math.abs(before - after) < RESOLUTION * before) return "below the model's resolution";
  const sign = after < before ? '-' : '+';
  return `${sign}${microseconds(Math.abs(before - after))} us`;
}

function microseconds(nanoseconds: number): string {
  return (nanoseconds / 1000).toFixed(2);
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
      ...(times?.alone.has(i) === true && { predicted: { nanoseconds: times.alone.get(i) } }),
    })),
    ...(times !== undefined && {
      predicted: {
        machine: times.machine,
        ranks: times.ranks,
        before: { nanoseconds: times.nanoseconds },
        ...(times.together === undefined ? {} : { after: { nanoseconds: times.together } }),
      },
    }),
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
