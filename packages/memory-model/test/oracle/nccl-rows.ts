import type { LitmusTest, PartialOutcome } from './litmus-test.ts';
import { add, agent, barrier, exch, fence, load, store, strong } from './operations.ts';
import { smallProgram } from './small-program.ts';
import type { Agent } from './small-program.ts';

const relaxed = strong('relaxed');
const acquire = strong('acquire');
const release = strong('release');
const full = fence('acq_rel');

/**
 * The building blocks of NCCL's device code, and their results if a part is weaker. Positions are
 * `rank.cta.thread`; the data is x, flags are f and g, a counter is c.
 */
export function ncclRows(): readonly LitmusTest[] {
  return [
    ...flagRows(),
    ...overwriteRows(),
    ...groupRows(),
    ...counterRows(),
    ...handOffRows(),
    ...lockRows(),
    ...wordRows(),
  ];
}

function row(id: string, expected: 'A' | 'F', weak: PartialOutcome, ...agents: readonly Agent[]): LitmusTest {
  return { row: id, column: 1, program: smallProgram(id, agents), weak, expected };
}

/** A barrier's flag, with data before and after it. */
function flagRows(): readonly LitmusTest[] {
  const stale = { '1:a': 1, '1:b': 0 };
  const data = store('x', 1);
  const see = load('a', 'f', acquire);
  const use = load('b', 'x');
  const writer = agent('0', data, full, store('f', 1, relaxed));
  const reader = agent('1', see, use);
  return [
    row('N1', 'F', stale, writer, reader),
    row('N1a', 'A', stale, agent('0', data, store('f', 1, relaxed)), reader),
    row('N1b', 'A', stale, writer, agent('1', load('a', 'f', relaxed), use)),
    row('N1c', 'A', stale, agent('0', data, fence('acq_rel', 'device'), store('f', 1, relaxed)), reader),
    row('N1d', 'A', stale, writer, agent('1', load('a', 'f', strong('acquire', 'device')), use)),
    row('N1e', 'A', stale, agent('0', data, full, store('f', 1)), reader),
    row('N1f', 'A', stale, writer, agent('1', load('a', 'f'), use)),
  ];
}

/**
 * Rank 0 reads data that rank 1 overwrites after a barrier. The arrival of an acquire barrier is
 * relaxed, and so is the wait of a release barrier.
 */
function overwriteRows(): readonly LitmusTest[] {
  const early = { '0:a': 1, '1:b': 1 };
  const arrive = agent('0', load('a', 'x'), full, store('f', 1, relaxed));
  const overwrite = agent('1', load('b', 'f', acquire), store('x', 1));
  return [
    row('N2', 'F', early, arrive, overwrite),
    row('N2a', 'A', early, agent('0', load('a', 'x'), store('f', 1, relaxed)), overwrite),
    row('N2b', 'A', early, arrive, agent('1', load('b', 'f', relaxed), store('x', 1))),
  ];
}

/** One thread accesses the data, and another thread of its CTA accesses the flag. */
function groupRows(): readonly LitmusTest[] {
  const stale = { '2:a': 1, '2:b': 0 };
  const reader = agent('1', load('a', 'f', acquire), load('b', 'x'));
  const flag = [full, store('f', 1, relaxed)] as const;
  const sender = agent('0', store('x', 1), full, store('f', 1, relaxed));
  return [
    row('N3', 'F', stale, agent('0', store('x', 1), barrier()), agent('0.0.1', barrier(), ...flag), reader),
    row('N3a', 'A', stale, agent('0', store('x', 1)), agent('0.0.1', ...flag), reader),
    row(
      'N3b',
      'A',
      stale,
      agent('0', store('x', 1), full, barrier()),
      agent('0.0.1', barrier(), store('f', 1, relaxed)),
      reader,
    ),
    row(
      'N4',
      'F',
      { '1:a': 1, '2:b': 0 },
      sender,
      agent('1', load('a', 'f', acquire), barrier()),
      agent('1.0.1', barrier(), load('b', 'x')),
    ),
  ];
}

/**
 * Two agents arrive at a counter. The data is the first one's, so its release must continue through
 * the second's addition.
 */
function counterRows(): readonly LitmusTest[] {
  const stale = { '0:a': 0, '1:a': 1, '2:a': 2, '2:b': 0 };
  const first = agent('0', store('x', 1), add('a', 'c', 1, release));
  const second = agent('1', add('a', 'c', 1, release));
  const reader = agent('2', load('a', 'c', acquire), load('b', 'x'));
  return [
    row('N5', 'F', stale, first, second, reader),
    row('N5a', 'F', stale, first, agent('1', add('a', 'c', 1, relaxed)), reader),
    row('N5b', 'A', stale, agent('0', store('x', 1), add('a', 'c', 1, relaxed)), second, reader),
  ];
}

/** From one CTA to another of the same GPU at device scope, and from there to another GPU. */
function handOffRows(): readonly LitmusTest[] {
  const stale = { '1:a': 1, '2:a': 1, '2:b': 0 };
  const between = agent('0.1', load('a', 'f', strong('acquire', 'device')), store('g', 1, release));
  const reader = agent('1', load('a', 'g', acquire), load('b', 'x'));
  const sender = (order: 'release' | 'relaxed') => agent('0', store('x', 1), store('f', 1, strong(order, 'device')));
  return [
    row('N6', 'F', stale, sender('release'), between, reader),
    row('N6a', 'A', stale, sender('relaxed'), between, reader),
  ];
}

/** Each raises its flag and reads the other's. In the second row both exchange one word. */
function lockRows(): readonly LitmusTest[] {
  const both = { '0:a': 0, '1:a': 0 };
  const side = (rank: string, own: string, other: string) =>
    agent(rank, store(own, 1, release), load('a', other, acquire));
  const fenced = (rank: string, own: string, other: string) =>
    agent(rank, store(own, 1, relaxed), fence('seq_cst'), load('a', other, relaxed));
  const taker = (rank: string) => agent(rank, exch('a', 'f', 1, strong('acq_rel')));
  return [
    row('N7', 'A', both, side('0', 'f', 'g'), side('1', 'g', 'f')),
    row('N7a', 'F', both, fenced('0', 'f', 'g'), fenced('1', 'g', 'f')),
    row('N7b', 'F', both, taker('0'), taker('1')),
  ];
}

/** A word to which two agents add, and a word of data and flag that is read twice. */
function wordRows(): readonly LitmusTest[] {
  const lost = { '0:a': 0, '1:a': 0, c: 1 };
  const adder = (rank: string, scope: 'device' | 'system') => agent(rank, add('a', 'c', 1, strong('relaxed', scope)));
  return [
    row('N8', 'A', lost, adder('0', 'device'), adder('1', 'device')),
    row('N8a', 'F', lost, adder('0', 'system'), adder('1', 'system')),
    row(
      'N9',
      'F',
      { '1:a': 1, '1:b': 0 },
      agent('0', store('x', 1, relaxed)),
      agent('1', load('a', 'x', relaxed), load('b', 'x', relaxed)),
    ),
  ];
}
