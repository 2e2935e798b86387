import process from 'node:process';
import { generateBulk } from './bulk-program.ts';
import { generate } from './generate.ts';
import type { JobMessage, Job } from './job.ts';
import { judge, judgeBulk } from './judge.ts';
import { minimise } from './minimise.ts';

/** Runs jobs until its parent stops asking. */
export function work(): void {
  const send = (made: JobMessage): void => void process.send?.(made);
  process.on('message', (job: Job) => {
    void answer(job, send).then(send, (error: unknown) => send({ kind: 'failed', why: String(error) }));
  });
  process.once('disconnect', () => process.exit());
}

async function answer(job: Job, send: (answer: JobMessage) => void): Promise<JobMessage> {
  switch (job.kind) {
    case 'judge': {
      const options = { ...job.effort, onEngine: (name: string) => send({ kind: 'engine', name }) };
      const { refused, disagreements, notes, observations } = await (job.theme === 'bulk'
        ? judgeBulk(generateBulk(job.seed), options)
        : judge(generate(job.seed, job.theme), options));
      const graph = observations.find(({ role }) => role === 'graph');
      return {
        kind: 'judged',
        refused,
        disagreements,
        notes: notes.length,
        complete: graph?.claimsAll === true,
        wrong: observations.some(({ errors }) => errors.size > 0),
      };
    }
    case 'minimise': {
      const { program, rule, detail, effort, milliseconds } = job;
      return {
        kind: 'minimised',
        ...(await minimise(program, { rule, detail }, { ...effort, tries: 600, milliseconds })),
      };
    }
  }
}
