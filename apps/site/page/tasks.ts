import { examples } from './examples.ts';
import { neighbours, ticket, twoSteps } from './task-programs.ts';

/** A task to break or to repair a program. */
export interface Exercise {
  readonly name: string;
  readonly kind: 'break' | 'repair';
  readonly title: string;
  readonly hint: string;
  /** The program that the page shows first. */
  readonly text: string;
  /** A program that solves the task. */
  readonly solved: string;
  /** The verdict that the solution must get. */
  readonly wanted: string;
}

interface TaskDefinition {
  readonly name: string;
  readonly base: string;
  readonly title: string;
  readonly hint: string;
  /** The correct code. It occurs exactly once in the base program. */
  readonly right: string;
  readonly wrong: string;
  readonly verdict: string;
}

const base = (name: string): string => {
  const found = examples.find((one) => one.name === name);
  if (found === undefined) throw new TypeError(`There is no example '${name}'.`);
  return found.text;
};
const shift = base('shift');
const flag = base('flag');
const allReduce = base('allreduce');

const breaks: readonly TaskDefinition[] = [
  {
    name: 'weaken-barrier',
    base: shift,
    title: 'Weaken the barrier by one word, so that rank 0 may read too early.',
    hint: 'The second argument of sync is the memory order of the barrier.',
    right: "bar.sync(coopCta(), 'acq_rel');",
    wrong: "bar.sync(coopCta(), 'relaxed');",
    verdict: 'race',
  },
  {
    name: 'release-only',
    base: shift,
    title: 'Keep half of the barrier: ranks publish their own stores, but do not acquire those of their peers.',
    hint: 'A release alone orders nothing for the reader.',
    right: "bar.sync(coopCta(), 'acq_rel');",
    wrong: "bar.sync(coopCta(), 'release');",
    verdict: 'race',
  },
  {
    name: 'stay-away',
    base: flag,
    title: 'Make one rank skip the barrier, so that the others wait forever.',
    hint: 'An if around the barrier is enough. Choose a rank that neither writes nor reads.',
    right: "bar.sync(coopCta(), 'acq_rel');",
    wrong: "if (comm.lsaRank !== 2) bar.sync(coopCta(), 'acq_rel');",
    verdict: 'deadlock',
  },
  {
    name: 'same-target',
    base: shift,
    title: 'Let all ranks store into the window of rank 0.',
    hint: 'A barrier orders phases. Within a phase, two ranks must not access the same words if one of them writes.',
    right: 'const right = (comm.lsaRank + 1) % comm.lsaSize;',
    wrong: 'const right = 0;',
    verdict: 'race',
  },
  {
    name: 'weak-flag',
    base: flag,
    title: 'Raise the flag without publishing the data.',
    hint: 'Rank 1 sees the flag. Does it have to see the data then?',
    right: "there.store(1, 1, 'release', 'system');",
    wrong: "there.store(1, 1, 'relaxed', 'system');",
    verdict: 'race',
  },
  {
    name: 'weak-wait',
    base: flag,
    title: 'Wait for the flag without acquiring the data.',
    hint: 'The reader must acquire what the writer released.',
    right: "here.load(1, 'acquire', 'system')",
    wrong: "here.load(1, 'relaxed', 'system')",
    verdict: 'race',
  },
  {
    name: 'narrow-flag',
    base: flag,
    title: 'Publish the data with too narrow a scope: the reader is on another GPU.',
    hint: 'The scope says how far an order reaches.',
    right: "there.store(1, 1, 'release', 'system');",
    wrong: "there.store(1, 1, 'release', 'device');",
    verdict: 'race',
  },
  {
    name: 'never-raised',
    base: flag,
    title: 'Make the reader wait for a value that no rank stores in the flag.',
    hint: 'Rank 0 stores 1.',
    right: "here.load(1, 'acquire', 'system') === 0",
    wrong: "here.load(1, 'acquire', 'system') !== 2",
    verdict: 'deadlock',
  },
  {
    name: 'same-elements',
    base: allReduce,
    title: 'Give the same elements to every rank.',
    hint: 'In the original, a part of the index depends on the rank.',
    right: 'const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * comm.lsaSize);',
    wrong: 'const first = threadIdx.x + blockDim.x * blockIdx.x;',
    verdict: 'race',
  },
  {
    name: 'shared-barrier',
    base: neighbours,
    title: 'Let the threads of a CTA read words that their neighbours have not stored yet.',
    hint: 'Threads of one CTA need a barrier too.',
    right: '    coopCta().sync();\n',
    wrong: '',
    verdict: 'race',
  },
];

const repairs: readonly TaskDefinition[] = [
  {
    name: 'no-barrier',
    base: shift,
    title: 'The ranks read before their neighbours have stored. Add the missing synchronization.',
    hint: 'Use bar.sync(coopCta(), ...) with an order that both releases and acquires.',
    right: "    bar.sync(coopCta(), 'acq_rel');\n",
    wrong: '',
    verdict: 'race',
  },
  {
    name: 'acquire-only',
    base: shift,
    title: 'The barrier waits, but publishes nothing.',
    hint: 'acq_rel both releases and acquires.',
    right: "bar.sync(coopCta(), 'acq_rel');",
    wrong: "bar.sync(coopCta(), 'acquire');",
    verdict: 'race',
  },
  {
    name: 'leaves-early',
    base: shift,
    title: 'The last rank skips the barrier. The others hang, or read too early.',
    hint: 'Every rank of the team must come to each barrier.',
    right: "    bar.sync(coopCta(), 'acq_rel');\n",
    wrong: "    if (right === 0) return;\n    bar.sync(coopCta(), 'acq_rel');\n",
    verdict: 'deadlock',
  },
  {
    name: 'flag-first',
    base: flag,
    title: 'The flag is set before the data is visible.',
    hint: 'A release publishes all earlier stores of its thread.',
    right: "      there.store(0, 42);\n      there.store(1, 1, 'release', 'system');\n",
    wrong: "      there.store(1, 1, 'release', 'system');\n      there.store(0, 42);\n",
    verdict: 'race',
  },
  {
    name: 'one-look',
    base: flag,
    title: 'The reader checks the flag once and continues.',
    hint: 'A loop with an empty body waits.',
    right: "while (here.load(1, 'acquire', 'system') === 0) {}",
    wrong: "here.load(1, 'acquire', 'system');",
    verdict: 'race',
  },
  {
    name: 'plain-flag',
    base: flag,
    title: 'The reader waits with plain loads.',
    hint: 'A synchronizing load names an order and a scope.',
    right: "here.load(1, 'acquire', 'system') === 0",
    wrong: 'here.load(1) === 0',
    verdict: 'race',
  },
  {
    name: 'no-last-barrier',
    base: allReduce,
    title: 'The host reads the sums while other ranks still store them.',
    hint: 'A kernel ends when its own rank is done, even if other ranks are not.',
    right: "    bar.sync(coopCta(), 'release');\n",
    wrong: '',
    verdict: 'race',
  },
  {
    name: 'narrow-wait',
    base: flag,
    title: 'The reader acquires, but its scope does not include the writer.',
    hint: 'The scope block reaches only the threads of one CTA.',
    right: "here.load(1, 'acquire', 'system')",
    wrong: "here.load(1, 'acquire', 'block')",
    verdict: 'race',
  },
  {
    name: 'lost-count',
    base: ticket,
    title: 'Ranks count with a load and a store, and lose counts.',
    hint: 'atomicAdd reads and writes in one step.',
    right: "there.atomicAdd(0, 1, 'relaxed', 'system');",
    wrong: 'there.store(0, there.load(0) + 1);',
    verdict: 'race',
  },
  {
    name: 'reused-too-early',
    base: twoSteps,
    title: 'The second round overwrites words that a neighbour still reads.',
    hint: 'The end of a round needs a barrier, and so does its middle.',
    right: "      bar.sync(coopCta(), 'acq_rel'); // before the words are used again\n",
    wrong: '',
    verdict: 'race',
  },
];

/** Ten tasks to break a program and ten to repair one. */
export const tasks: readonly Exercise[] = [
  ...breaks.map((row) => taskOf(row, 'break')),
  ...repairs.map((row) => taskOf(row, 'repair')),
];

function taskOf(
  { name, base: correct, title, hint, right, wrong, verdict }: TaskDefinition,
  kind: Exercise['kind'],
): Exercise {
  if (correct.split(right).length !== 2)
    throw new TypeError(`Task ${name}: its correct code does not occur exactly once in the program.`);
  const faulty = correct.replace(right, wrong);
  const [text, solved, wanted] = kind === 'break' ? [correct, faulty, verdict] : [faulty, correct, 'clean'];
  return { name, kind, title, hint, text, solved, wanted };
}
