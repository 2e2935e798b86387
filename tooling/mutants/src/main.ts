import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { readOutcomes, writeOutcomes } from './committed.ts';
import type { SubjectOutcome } from './outcome.ts';
import { scoreOf } from './score.ts';
import { subjects } from './subjects.ts';

const usage = `Usage: campaign [OPTION ...]

Mutates every kernel of every program, runs the mutants under check mode, and tells how many were found.

  --subject NAME     programs whose names begin so (default: all)
  --workers N        processes (default: one for each core)
  --proof-runs N     the most runs for each proof that a survivor is equivalent; 0: none (default: 2000)
  --write            SURVIVORS.md and survivors.json: these programs anew, the others as they are there`;

const { values } = parseArgs({
  options: {
    subject: { type: 'string', default: '' },
    workers: { type: 'string', default: String(availableParallelism()) },
    'proof-runs': { type: 'string', default: '2000' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) console.log(usage);
else await run();

async function run(): Promise<void> {
  const proofRuns = Number(values['proof-runs']);
  const chosen = subjects.filter(({ name }) => name.startsWith(values.subject));
  const jobs = chosen.map(({ name }) => ({ subject: name, proofRuns }));
  const outcomes = await runCampaign(jobs, Number(values.workers), ({ outcome, seconds }) => {
    if (values.write) write([outcome]);
    const { subject, unclean } = outcome;
    const { mutants, killed, equivalent, unproven } = scoreOf([outcome]);
    const said =
      unclean === undefined ? `${killed} of ${mutants}, ${equivalent} equivalent, ${unproven} unproven` : unclean.by;
    if (mutants > 0 || unclean !== undefined) console.log(`${subject.padEnd(48)} ${said}  ${seconds.toFixed(1)} s`);
  });
  console.log(scoreOf(outcomes));
}

/** Puts what was found in the place of what was found before, and leaves what is known of the other programs. */
function write(outcomes: readonly SubjectOutcome[]): void {
  const known = new Map(readOutcomes().map((outcome) => [outcome.subject, outcome]));
  for (const outcome of outcomes) known.set(outcome.subject, outcome);
  const kept = subjects
    .flatMap(({ name }) => known.get(name) ?? [])
    .filter(({ kernels, unclean }) => kernels.length > 0 || unclean !== undefined);
  writeOutcomes(kept);
}
