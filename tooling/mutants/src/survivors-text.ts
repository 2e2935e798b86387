import { lettersOf, type SubjectRecord } from './record.ts';
import { scoreOf } from './score.ts';
import type { Trial } from './trial.ts';

/** The campaign's result as a page: the score, its basis, and the counts of each program. */
export function survivorsText(records: readonly SubjectRecord[], trials: readonly Trial[]): string {
  const { mutants, killed, equivalent, unknown, ownWord, atLeast, byOwnWord } = scoreOf(records);
  const mutated = records.filter(({ kernels }) => kernels.length > 0);
  const kernels = mutated.flatMap((record) => record.kernels);
  const unclean = records.filter((record) => record.unclean !== undefined);
  const unreached = kernels.flatMap(lettersOf).filter((letter) => letter === '-').length;
  const died = new Map<string, number>();
  for (const [by, count] of kernels.flatMap(({ killedBy }) => Object.entries(killedBy))) {
    died.set(by, (died.get(by) ?? 0) + count);
  }
  return [
    '# Mutants that the checker lets live',
    '',
    'Written by `pnpm --filter @nccl-ts/mutants campaign --write`; a test tries a part of it again.',
    '',
    `Every synchronisation of every kernel of ${mutated.length} programs was removed or weakened, one at a time (\`packages/mutation\` says how), and`,
    `each mutant was run under check mode: ${trials.map(({ strategy, seed }) => `${strategy}:${seed}`).join(', ')}. It is killed where the report is not clean, where the`,
    'program itself says that its result is wrong, and where it deadlocks or faults.',
    '',
    '| | mutants |',
    '|---|---|',
    `| made | ${mutants} |`,
    `| killed | ${killed} |`,
    ...[...died].toSorted(([, a], [, b]) => b - a).map(([by, count]) => `| … by ${by} | ${count} |`),
    `| shown to be no worse than their kernel by another engine, or by PTX itself | ${equivalent} |`,
    `| unknown | ${unknown} |`,
    `| … of these no worse by the word of the checker itself: one run of it is said to stand for all | ${ownWord} |`,
    `| left out: of what their program never runs | ${unreached} |`,
    '',
    `**Score: ${percent(atLeast)} at least**, where all that is unknown counts as missed; ${percent(byOwnWord)} where the checker's own word is taken.`,
    '',
    'The letters of survivors.json are explained in `src/record.ts`.',
    '',
    '## Programs',
    '',
    '| program | ranks x LSA size | mutants | killed | equivalent | unknown | by its own word |',
    '|---|---|---|---|---|---|---|',
    ...mutated.map((record) => {
      const score = scoreOf([record]);
      const { ranks, lsaSize } = record.shape;
      return `| ${record.subject} | ${ranks} x ${lsaSize} | ${score.mutants} | ${score.killed} | ${score.equivalent} | ${score.unknown} | ${score.ownWord} |`;
    }),
    '',
    ...(unclean.length === 0 ? [] : ['## Left out: not clean as they are', '', ...unclean.map(uncleanLine), '']),
  ].join('\n');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function uncleanLine({ subject, unclean }: SubjectRecord): string {
  const first = unclean?.said.split('\n', 1)[0] ?? '';
  return `- ${subject}: ${unclean?.by}: ${first}`;
}
