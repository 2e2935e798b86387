import process from 'node:process';
import { checkByDefault } from './default-check.ts';
import type { JobResponse, Job } from './job.ts';
import { OpenSubject } from './open-subject.ts';
import { formsOf, type Subject } from './subject.ts';
import { subjects } from './subjects.ts';
import { trials } from './trials.ts';

/** The number of programs that a worker keeps open, so that later jobs can reuse them. */
const KEPT = 4;

/** Runs jobs until its parent stops asking. */
export function work(): void {
  const open = new Map<string, OpenSubject>();
  process.on('message', (job: Job) => {
    void answer(job, open).then((said) => process.send?.(said));
  });
  process.once('disconnect', () => process.exit());
}

async function answer(job: Job, open: Map<string, OpenSubject>): Promise<JobResponse> {
  try {
    if (job.kind === 'open') return { kind: 'opened', listing: (await opened(job, open)).listing };
    if (job.kind === 'check-clean') {
      const verdict = await checkByDefault(formsOf(programOf(job.subject)), (backend) => backend, job.seed);
      return { kind: 'checked', verdict };
    }
    const subject = open.get(job.subject);
    if (subject === undefined) throw new RangeError(`${job.subject} was not opened.`);
    if (job.kind === 'try') return { kind: 'tried', fate: await subject.fateOf(job.kernel, job.id) };
    if (job.kind === 'check') return { kind: 'checked', verdict: await subject.defaultOf(job.kernel, job.id) };
    return { kind: 'proven', equivalence: await subject.proofOf(job.kernel, job.id, job.runs) };
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

async function opened(
  { subject: name, kernels }: Extract<Job, { readonly kind: 'open' }>,
  open: Map<string, OpenSubject>,
): Promise<OpenSubject> {
  const known = open.get(name);
  if (known !== undefined) return known;
  const subject = programOf(name);
  const [oldest] = open.keys();
  if (oldest !== undefined && open.size >= KEPT) open.delete(oldest);
  const made = await OpenSubject.open(subject, trials, kernels);
  open.set(name, made);
  return made;
}

function programOf(name: string): Subject {
  const subject = subjects.find((one) => one.name === name);
  if (subject === undefined) throw new RangeError(`There is no program ${name}.`);
  return subject;
}
