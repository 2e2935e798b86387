import process from 'node:process';
import type { JobMessage, Job } from './job.ts';
import { judge } from './judge.ts';
import { minimise } from './minimise.ts';
import { subjectOf } from './subject.ts';
import { programOf } from './themes.ts';

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
      const program = programOf(job.seed, job.theme);
      const { refused, disagreements, notes, observations } = await judge(program, options);
      const graph = observations.find(({ role }) => role === 'graph');
      return {
        kind: 'judged',
        refused,
        disagreements,
        notes: notes.length,
        kinds: [...subjectOf(program).kinds],
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
