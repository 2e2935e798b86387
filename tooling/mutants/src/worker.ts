import process from 'node:process';
import type { Answer, Job } from './campaign.ts';
import { mutateSubject } from './mutate-subject.ts';
import { subjects } from './subjects.ts';
import { trials } from './trials.ts';

process.on('message', (job: Job) => {
  void answer(job);
});

async function answer({ subject: name, proofRuns }: Job): Promise<void> {
  const subject = subjects.find((one) => one.name === name);
  if (subject === undefined) throw new Error(`There is no subject ${name}.`);
  const began = performance.now();
  const outcome = await mutateSubject(subject, { trials, proofRuns });
  const said: Answer = { outcome, seconds: (performance.now() - began) / 1000 };
  process.send?.(said);
}
