import type { BugProgram, FindingPattern } from '@nccl-ts/conformance';
import type { Finding } from '@nccl-ts/findings';
import { describeFinding, findingMatches } from './finding-matches.ts';

/** Returns the differences between the findings and the expected ones, one in each line. */
export function problems(found: readonly Finding[], expects: BugProgram['expects']): readonly string[] {
  const expected: readonly FindingPattern[] = expects === 'clean' ? [] : [expects, ...(expects.also ?? [])];
  const allowed = expects === 'clean' ? [] : [...expected, ...(expects.may ?? [])];
  const isSure = expects === 'clean' || expects.sometimes !== true;
  const absent = expected.filter((pattern) => !found.some((finding) => findingMatches(finding, pattern)));
  const surplus = found.filter((finding) => !allowed.some((pattern) => findingMatches(finding, pattern)));
  return [
    ...(isSure ? absent.map((pattern) => `not found: ${JSON.stringify(pattern)}`) : []),
    ...surplus.map((finding) => `not expected: ${describeFinding(finding)}`),
  ];
}
