import { findingJson } from '@nccl-ts/findings';
import { offerText, reasonText, type ProgramRelaxReport, savedAlone, type PredictedTimes } from '@nccl-ts/relax';
import { diffLines } from '../output/diff-lines.ts';
import { predictedAlone, predictedJson } from './predicted-json.ts';
import { inputsText, timesLines } from './relax-text.ts';

/** The report as text: two lines for each synchronization, and what can go together. */
export function programText({ places, inputs, joint, written }: ProgramRelaxReport, times?: PredictedTimes): string {
  const wide = Math.max(0, ...places.map(({ judgement }) => judgement.length));
  const widest = Math.max(0, ...places.map(({ place }) => place.at.length));
  const table = places.map((one, i) => {
    const { judgement, place } = one;
    const first = `${judgement.padEnd(wide)}  ${place.at.padEnd(widest)}  ${place.name} of ${place.kernel}`;
    return `${first}\n${' '.repeat(wide + 2)}${reasonText(one, offerText(one), 'the program')}${savedAlone(times, i)}`;
  });
  const isWritten = new Set(written.flatMap(({ offers: made }) => made));
  const offers = joint.flatMap((index) => {
    const one = places[index];
    if (one === undefined) return [];
    const note = isWritten.has(index) ? '' : ' (for you to write)';
    return [`  ${one.place.at}  ${one.place.name}: ${offerText(one)}${note}`];
  });
  const together =
    offers.length === 0
      ? ['Nothing can go.']
      : [`${offers.length} of these can go together, as far as these programs show:`, ...offers];
  const diffs = written.flatMap(({ diff }) => ['', diffLines(diff)]);
  return `${[...table, '', ...inputsText(inputs), '', ...together, ...diffs, ...timesLines(times)].join('\n')}\n`;
}

/** The same as JSON. */
export function programJson({ places, inputs, joint, written }: ProgramRelaxReport, times?: PredictedTimes): string {
  const value = {
    format: 'nccl-ts relax',
    version: 1,
    inputs,
    places: places.map(({ place: { kernel, at, name }, judgement, to, finding, input, why }, i) => ({
      judgement,
      kernel,
      at,
      name,
      ...(to === undefined ? {} : { to }),
      ...(input === undefined ? {} : { input }),
      ...(why === undefined ? {} : { why }),
      ...(finding === undefined ? {} : { finding: findingJson(finding, 1) }),
      ...predictedAlone(times, i),
    })),
    ...predictedJson(times),
    joint,
    written: written.map(({ path, diff, offers }) => ({ path, diff, offers })),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
