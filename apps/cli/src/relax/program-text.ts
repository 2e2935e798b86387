import { findingJson } from '@nccl-ts/findings';
import type { JudgedProgramPlace, ProgramRelaxReport } from '@nccl-ts/relax';
import { inputsText, reasonText } from './relax-text.ts';

/** The report as text: two lines for each synchronization, and what can go together. */
export function programText({ places, inputs, joint }: ProgramRelaxReport): string {
  const wide = Math.max(0, ...places.map(({ judgement }) => judgement.length));
  const widest = Math.max(0, ...places.map(({ place }) => place.at.length));
  const table = places.map((one) => {
    const { judgement, place } = one;
    const first = `${judgement.padEnd(wide)}  ${place.at.padEnd(widest)}  ${place.name} of ${place.kernel}`;
    return `${first}\n${' '.repeat(wide + 2)}${reasonText(one, offerOf(one), 'the program')}`;
  });
  const offers = joint.flatMap((index) => {
    const one = places[index];
    return one === undefined ? [] : [`  ${one.place.at}  ${one.place.name}: ${offerOf(one)}`];
  });
  const together =
    offers.length === 0
      ? ['Nothing can go.']
      : [`${offers.length} of these can go together, as far as these programs show:`, ...offers];
  return `${[...table, '', ...inputsText(inputs), '', ...together].join('\n')}\n`;
}

/** The same as JSON. */
export function programJson({ places, inputs, joint }: ProgramRelaxReport): string {
  const value = {
    format: 'nccl-ts relax',
    version: 1,
    inputs,
    places: places.map(({ place: { kernel, at, name }, judgement, to, finding, input, why }) => ({
      judgement,
      kernel,
      at,
      name,
      ...(to === undefined ? {} : { to }),
      ...(input === undefined ? {} : { input }),
      ...(why === undefined ? {} : { why }),
      ...(finding === undefined ? {} : { finding: findingJson(finding, 1) }),
    })),
    joint,
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function offerOf({ to }: JudgedProgramPlace): string {
  if (to === 'warp') return 'to synchronize within each warp';
  return to === 'weaker' ? 'one step weaker' : (to ?? '');
}
