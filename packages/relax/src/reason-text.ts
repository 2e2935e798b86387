import type { Finding } from '@nccl-ts/findings';
import { REWRITING } from './program/rewriting.ts';
import type { JudgedProgramPlace } from './program/program-report.ts';
import type { JudgedPlace } from './relax-report.ts';

/**
 * Why a place has its judgement. `enough` is the weaker form for `weaker`, and `original` what was
 * checked, such as `the harness`.
 */
export function reasonText(
  { judgement, finding, input, why }: Pick<JudgedPlace, 'judgement' | 'finding' | 'input' | 'why'>,
  enough: string,
  original: string,
): string {
  switch (judgement) {
    case 'needed':
      return `${input === undefined ? '' : `${input}: `}${errorOf(finding)}`;
    case 'only here':
      return `${original} as it is does not need it, but ${input}: ${errorOf(finding)}`;
    case 'removable':
      return 'no schedule needs it';
    case 'weaker':
      return `${enough} is enough in every schedule`;
    case 'rests on hardware':
      return `the memory model needs it, and today's GPUs do not (${input})`;
    case 'not judged':
      return why ?? '';
  }
}

/** The kind of a finding, and its lines. */
export function errorOf(finding: Finding | undefined): string {
  if (finding === undefined) return '';
  const places = finding.labels.flatMap(({ place, purpose }) =>
    purpose === REWRITING ? ['a launch around it'] : place === undefined ? [] : [lineOf(place)],
  );
  return `${finding.kind}${places.length === 0 ? '' : ` at ${places.join(' and ')}`}`;
}

function lineOf({ source, line, location }: NonNullable<Finding['labels'][number]['place']>): string {
  const { file, line: own } = location ?? { file: source, line };
  // The steps around the launches have no line of an author.
  if (file === 'memcpy.ptx' || file === 'memset.ptx') return `a ${file.slice(0, -4)} around the launches`;
  return `${file.split('/').at(-1)}:${own}`;
}

/** The weaker form that is enough at a place of a program, in words. Empty without an offer. */
export function offerText({ to }: JudgedProgramPlace): string {
  if (to === 'warp') return 'to synchronize within each warp';
  return to === 'weaker' ? 'one step weaker' : (to ?? '');
}
