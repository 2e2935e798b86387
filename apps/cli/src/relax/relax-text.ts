import { findingJson, type Finding } from '@nccl-ts/findings';
import type { JudgedPlace, RelaxReport } from '@nccl-ts/relax';

/** The report as text: a line for each synchronization, and what can go together. */
export function relaxText(report: RelaxReport): string {
  const { places, inputs, joint, diff } = report;
  const rows = places.map((one) => [one.judgement, sourceOf(one), one.place.instruction, reasonOf(one)] as const);
  const wide = Math.max(0, ...rows.map(([judgement]) => judgement.length));
  const widest = Math.max(0, ...rows.map(([, source]) => source.length));
  const table = rows.map(
    ([judgement, source, instruction, reason]) =>
      `${judgement.padEnd(wide)}  ${source.padEnd(widest)}  ${shortened(instruction)}\n${' '.repeat(wide + 2)}${reason}`,
  );
  const usable = inputs.filter(({ unusable }) => unusable === undefined).map(({ name }) => name);
  const others = inputs.flatMap(({ name, unusable }) => (unusable === undefined ? [] : [`  ${name}: ${unusable}`]));
  const checked = [
    `checked for every schedule: ${usable.join(', ')}`,
    ...(others.length === 0 ? [] : ['these could not judge:', ...others]),
  ];
  const together =
    joint.length === 0
      ? 'Nothing can go.'
      : `${joint.length} of these can go together, as far as these programs show:\n\n${diff.trimEnd()}`;
  return `${[...table, '', ...checked, '', together].join('\n')}\n`;
}

/** The same as JSON. */
export function relaxJson({ places, inputs, joint, diff }: RelaxReport): string {
  const value = {
    format: 'nccl-ts relax',
    version: 1,
    inputs,
    places: places.map(({ place, judgement, weakening, finding, input, why }) => ({
      judgement,
      kind: place.kind,
      instruction: place.instruction,
      line: place.line,
      source: place.source,
      ...(weakening === undefined ? {} : { weakening: weakening.does }),
      ...(input === undefined ? {} : { input }),
      ...(why === undefined ? {} : { why }),
      ...(finding === undefined ? {} : { finding: findingJson(finding, 1) }),
    })),
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

function reasonOf({ judgement, weakening, finding, input, why }: JudgedPlace): string {
  switch (judgement) {
    case 'needed':
      return `${input === undefined ? '' : `${input}: `}${errorOf(finding)}`;
    case 'only here':
      return `the harness as it is does not need it, but ${input}: ${errorOf(finding)}`;
    case 'removable':
      return 'no schedule needs it';
    case 'weaker':
      return `${weakening?.does ?? ''} is enough in every schedule`;
    case 'rests on hardware':
      return `the memory model needs it, and today's GPUs do not (${input})`;
    case 'not judged':
      return why ?? '';
  }
}

/** The kind of a finding, and its lines. */
export function errorOf(finding: Finding | undefined): string {
  if (finding === undefined) return '';
  const places = finding.labels.flatMap(({ place }) => (place === undefined ? [] : [lineOf(place)]));
  return `${finding.kind}${places.length === 0 ? '' : ` at ${places.join(' and ')}`}`;
}

function lineOf({ source, line, location }: NonNullable<Finding['labels'][number]['place']>): string {
  const { file, line: own } = location ?? { file: source, line };
  // The steps around the launches have no line of an author.
  if (file === 'memcpy.ptx' || file === 'memset.ptx') return `a ${file.slice(0, -4)} around the launches`;
  return `${file.split('/').at(-1)}:${own}`;
}
