import type { Equivalence, ProvenSize, SubjectOutcome } from './outcome.ts';
import { scoreOf, standingOf } from './score.ts';
import type { Trial } from './trial.ts';

/** The campaign's result for readers: the score, and every survivor with the reason why it is one. */
export function survivorsText(outcomes: readonly SubjectOutcome[], trials: readonly Trial[]): string {
  const { mutants, killed, equivalent, small, unproven, ratio } = scoreOf(outcomes);
  const mutated = outcomes.filter(({ kernels }) => kernels.length > 0);
  const unclean = outcomes.filter((outcome) => outcome.unclean !== undefined);
  const unreached = mutated.flatMap(({ kernels }) => kernels).reduce((sum, kernel) => sum + kernel.unreached, 0);
  const died = new Map<string, number>();
  for (const { killedBy } of mutated.flatMap(({ kernels }) => kernels)) {
    for (const [by, count] of Object.entries(killedBy)) died.set(by, (died.get(by) ?? 0) + count);
  }
  return [
    '# Mutants that the checker lets live',
    '',
    'Written by `pnpm --filter @nccl-ts/mutants campaign --write`; a test regenerates a part of it.',
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
    `| survived, and shown to be no worse than their kernel | ${equivalent} |`,
    `| survived, and shown to be that in a program smaller than 2 ranks x 2 CTAs x 2 threads alone | ${small} |`,
    `| survived, and not shown to be | ${unproven} |`,
    `| left out: of what their program never runs | ${unreached} |`,
    '',
    `**Score: ${(100 * ratio).toFixed(1)} %** of the mutants that are not shown to be equivalent, with those of small programs among them.`,
    '',
    '## Programs',
    '',
    '| program | ranks x LSA size | mutants | killed | equivalent | in small programs | unproven |',
    '|---|---|---|---|---|---|---|',
    ...mutated.map((outcome) => {
      const score = scoreOf([outcome]);
      const { ranks, lsaSize } = outcome.shape;
      return `| ${outcome.subject} | ${ranks} x ${lsaSize} | ${score.mutants} | ${score.killed} | ${score.equivalent} | ${score.small} | ${score.unproven} |`;
    }),
    '',
    ...(unclean.length === 0 ? [] : ['## Left out: not clean as they are', '', ...unclean.map(uncleanLine), '']),
    ...unknownOf(mutated),
    ...Object.entries(heads).flatMap(([standing, head]) => survivorsOf(mutated, standing, head)),
  ].join('\n');
}

function uncleanLine({ subject, unclean }: SubjectOutcome): string {
  const first = unclean?.said.split('\n', 1)[0] ?? '';
  return `- ${subject}: ${unclean?.by}: ${first}`;
}

function unknownOf(outcomes: readonly SubjectOutcome[]): readonly string[] {
  const lines = outcomes.flatMap(({ subject, kernels }) =>
    kernels.flatMap(({ kernel, unknown = [] }) =>
      unknown.map(({ id, why }) => `- ${subject}, ${kernel}, \`${id}\`: ${why}`),
    ),
  );
  return lines.length === 0 ? [] : ['## Mutants whose runs did not end', '', ...lines, ''];
}

const heads: Readonly<Record<ReturnType<typeof standingOf>, string>> = {
  unproven: '## Survivors without a proof',
  small: '## Survivors that are equivalent in small programs',
  equivalent: '## Survivors that are equivalent',
};

function survivorsOf(outcomes: readonly SubjectOutcome[], standing: string, head: string): readonly string[] {
  const lines = outcomes.flatMap(({ subject, kernels }) =>
    kernels.flatMap(({ kernel, survivors }) => {
      const listed = survivors.filter((one) => standingOf(one) === standing);
      if (listed.length === 0) return [];
      return [
        `### ${subject}, ${kernel}`,
        '',
        ...listed.map(({ id, equivalence }) => `- \`${id}\`: ${reason(equivalence)}`),
        '',
      ];
    }),
  );
  return lines.length === 0 ? [] : [head, '', ...lines];
}

function reason(equivalence: Equivalence): string {
  switch (equivalence.kind) {
    case 'same fence':
      return 'PTX has one fence for acquire, release and acq_rel';
    case 'one warp':
      return 'its CTAs are of one warp';
    case 'exhaustive':
      return `all runs of ${sizeText(equivalence.size)} are clean: ${equivalence.schedules}`;
    case 'less than':
      return `so is \`${equivalence.of}\`, which does more, on ${sizeText(equivalence.size)}`;
    case 'unproven':
      return equivalence.why;
  }
}

function sizeText({ ranks, lsaSize, ctas, threads }: ProvenSize): string {
  return `${ranks} x ${ctas} x ${threads} in domains of ${lsaSize}`;
}
