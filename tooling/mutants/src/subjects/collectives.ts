import {
  algorithmFacts,
  algorithmsOf,
  collectiveNames,
  collectiveShapes,
  type Algorithm,
  type CollectiveName,
} from '@nccl-ts/collectives';
import type { SubjectForm, RankShape, Subject } from '../subject.ts';
import { runChain, type Chain } from './collective-chain.ts';

/**
 * A chain of calls, and its world. A count is that of one part: the elements that a rank reduces,
 * or sends to one rank.
 */
type ChainPlan = Omit<Chain, 'collective' | 'algorithm'> & { readonly shape: RankShape };

const two: RankShape = { ranks: 2, lsaSize: 2 };
const three: RankShape = { ranks: 3, lsaSize: 3 };
const many: RankShape = { ranks: 20, lsaSize: 20 };
const domains: RankShape = { ranks: 4, lsaSize: 2 };

/**
 * Enough elements for every warp of two CTAs on each of two ranks to have 16-byte lines, and a
 * remainder.
 */
const COUNT = 599;
/**
 * The numbers of elements on the simulator: of a slot of a ring's link, of a chunk between domains,
 * of a rank's part of a chunk, of a CTA's turn with sentinels, and of one with lines.
 */
const SLOT = 4096;
const PART = 512;
const P2P_SLOT = 2048;
const CHUNK = 2048;
const TURN = 512;
const LINES_TURN = 480;

const small = { ctas: 2, threads: 64, count: COUNT } as const;

/**
 * The plans of algorithms that reuse scratch within a call. Each call has more data than the
 * scratch holds.
 */
const plansWithReuse: Readonly<Partial<Record<Algorithm, (collective: CollectiveName) => readonly ChainPlan[]>>> = {
  // Several epochs in a call.
  ll: () => [{ ...small, shape: two, count: 2 * COUNT + 1, calls: 4 }],
  // Each CTA comes back to the first of its slots in a call.
  chunked: () => [{ ...small, shape: two, count: 2 * 2 * two.ranks * PART + two.ranks * PART + COUNT, calls: 4 }],
  // More turns than banks: by calls, of two CTAs; and within them.
  sentinel: () => [
    { ...small, shape: two, count: 2 * TURN + 79, calls: 4 },
    { ...small, shape: two, ctas: 1, count: 4 * TURN + 79, calls: 1 },
  ],
  ll128: () => [{ ...small, shape: two, count: 4 * LINES_TURN + 79, calls: 4 }],
  ring: ringPlans,
  hierarchical: (collective) => {
    const share = collective === 'allReduce' || collective === 'reduce' || collective === 'broadcast' ? 2 : 1;
    return [
      { ...small, shape: domains, calls: 4 },
      { ...small, shape: domains, count: 2 * share * CHUNK + COUNT, calls: 2 },
    ];
  },
};

/** The slowest ones come last. */
function plansOf(collective: CollectiveName, algorithm: Algorithm): readonly ChainPlan[] {
  const plans = plansWithReuse[algorithm]?.(collective);
  if (plans !== undefined) return plans;
  checkPlanned(algorithm);
  return [{ ...small, shape: two, calls: 4 }];
}

/**
 * The common plan does not fill any scratch twice, so an algorithm that reuses scratch must have a
 * plan that does.
 */
function checkPlanned(algorithm: Algorithm): void {
  if (algorithmFacts[algorithm].reusesScratch) {
    throw new RangeError(`${algorithm} reuses scratch memory within a call, but its mutants have no plan that does.`);
  }
}

/**
 * More parts than slots in one call. Between calls the end of a kernel is a fence, which would hide
 * the missing order of a weak access.
 */
function ringPlans(collective: CollectiveName): readonly ChainPlan[] {
  // Only the root runs ahead.
  if (collective === 'broadcast') {
    return [
      { ...small, shape: three, count: SLOT + COUNT, calls: 4 },
      { ...small, shape: three, ctas: 1, count: 9 * SLOT + COUNT, calls: 2 },
    ];
  }
  const isWhole = collective === 'allReduce';
  return [
    { ...small, shape: three, count: 2 * (isWhole ? three.ranks : 1) * SLOT + COUNT, calls: 3 },
    // A message that a rank receives has passed all others, so with few ranks it alone shows that
    // the next rank has room.
    { ...small, shape: many, ctas: 1, count: 150 * (isWhole ? many.ranks : 1), calls: 2 },
  ];
}

/**
 * The smallest size that covers every case: two ranks, two CTAs of two threads. It shows nothing
 * about the parts that it leaves out, such as a slot that is filled again, a second chunk or turn:
 * algorithms that have these have no tiny form.
 */
function tinyOf(collective: CollectiveName, algorithm: Algorithm, scaled: boolean): { readonly tiny?: SubjectForm } {
  if (algorithmFacts[algorithm].reusesScratch) return {};
  const { send, recv } = collectiveShapes[collective];
  const isShared = send === 'one' && recv === 'one' && algorithm !== 'oneShot';
  const count = isShared ? 16 : 8;
  const run = runChain({ collective, algorithm, scaled, ctas: 2, threads: 2, count, calls: 1 });
  return { tiny: { shape: two, run } };
}

function subjectOf(collective: CollectiveName, algorithm: Algorithm, scaled = false): Subject {
  const name = `${nameOf(collective, algorithm)}${scaled ? '-scaled' : ''}`;
  const subject = chained(name, plansOf(collective, algorithm), { collective, algorithm, scaled });
  return { ...subject, ...tinyOf(collective, algorithm, scaled) };
}

function nameOf(collective: CollectiveName, algorithm: Algorithm): string {
  return `collectives/${collective}/${algorithm}`;
}

function chained(
  name: string,
  plans: readonly ChainPlan[],
  what: Pick<Chain, 'collective' | 'algorithm' | 'scaled' | 'together'>,
): Subject {
  const [first, ...also] = plans.map(({ shape, ...plan }): SubjectForm => ({
    shape,
    run: runChain({ ...plan, ...what }),
  }));
  if (first === undefined) throw new RangeError(`${name} has no program.`);
  return { ...first, name, also };
}

/** As many calls as the kernel for several makes, because each of its parts has mutants. */
const TOGETHER = 4;

/** The count of a call in a group, which gives some threads a second line, and has a remainder. */
const GROUP_COUNT = 299;

const group = { ...small, count: GROUP_COUNT, calls: 2 } as const;

/** Epochs, slots and turns repeat between the calls of a group, so each call can be smaller. */
const groupPlansWithReuse: Readonly<Partial<Record<Algorithm, (collective: CollectiveName) => readonly ChainPlan[]>>> =
  {
    ll: () => [{ ...group, shape: two }],
    chunked: () => [{ ...group, shape: two, count: 2 * two.ranks * PART + COUNT }],
    sentinel: () => [{ ...group, shape: two, count: 2 * TURN + 79 }],
    ll128: () => [{ ...group, shape: two, count: 2 * LINES_TURN + 79 }],
    ring: (collective) => {
      // With less, the root of a broadcast would not run ahead of the slots, and no rank would need
      // to signal that there is room.
      const ahead: ChainPlan =
        collective === 'broadcast'
          ? { ...group, shape: three, ctas: 1, count: 3 * SLOT, calls: 1 }
          : { ...group, shape: many, ctas: 1, count: collective === 'allReduce' ? 4 * many.ranks : 4, calls: 1 };
      return [{ ...group, shape: three }, ahead];
    },
    hierarchical: () => [{ ...group, shape: domains }],
  };

function groupPlansOf(collective: CollectiveName, algorithm: Algorithm): readonly ChainPlan[] {
  const plans = groupPlansWithReuse[algorithm]?.(collective);
  if (plans !== undefined) return plans;
  checkPlanned(algorithm);
  return [{ ...group, shape: two }];
}

/** A group of this many calls. */
function groupOf(collective: CollectiveName, algorithm: Algorithm): Subject {
  const name = `${nameOf(collective, algorithm)}-group`;
  return chained(name, groupPlansOf(collective, algorithm), { collective, algorithm, together: TOGETHER });
}

/** More parts than slots of a link, to every rank. */
const exchanges = runChain({
  collective: 'allToAll',
  algorithm: 'exchange',
  threads: 64,
  count: 9 * P2P_SLOT + 4 * 69,
  calls: 2,
});

/**
 * Other all-to-all exchanges by CTAs of two warps: with sends and receives, and with one-sided
 * operations, within and across domains.
 */
const pointToPoint: readonly Subject[] = [
  { name: 'collectives/exchange', shape: { ranks: 4, lsaSize: 4 }, run: exchanges },
  { name: 'collectives/far-exchange', shape: domains, run: exchanges },
  {
    name: 'collectives/one-sided',
    shape: two,
    run: runChain({ collective: 'allToAll', algorithm: 'oneSided', threads: 64, count: COUNT, calls: 3 }),
    tiny: {
      shape: two,
      run: runChain({ collective: 'allToAll', algorithm: 'oneSided', threads: 2, count: 8, calls: 1 }),
    },
  },
  {
    name: 'collectives/far-one-sided',
    shape: domains,
    run: runChain({ collective: 'allToAll', algorithm: 'oneSided', threads: 64, count: COUNT, calls: 3 }),
    // With less other work, a signal visibly arrives before the put data.
    also: [
      {
        shape: { ranks: 2, lsaSize: 1 },
        run: runChain({ collective: 'allToAll', algorithm: 'oneSided', threads: 64, count: 8, calls: 1 }),
      },
    ],
  },
];

/**
 * Every algorithm of every collective. Scalars are used in one with its own barriers, and in one
 * over several domains.
 */
export const collectiveSubjects: readonly Subject[] = [
  ...collectiveNames.flatMap((collective) =>
    algorithmsOf[collective].map((algorithm) => subjectOf(collective, algorithm)),
  ),
  subjectOf('allReduce', 'twoShot', true),
  subjectOf('allReduce', 'hierarchical', true),
  ...collectiveNames.flatMap((collective) =>
    algorithmsOf[collective].map((algorithm) => groupOf(collective, algorithm)),
  ),
  ...pointToPoint,
];
