import {
  as,
  exploreExecutions,
  fenceProxy,
  join,
  modify,
  open,
  read,
  use,
  wait,
  write,
  type AgentProgram,
  type AgentSteps,
  type Request,
} from '@nccl-ts/memory-model';
import { describe, expect, test } from 'vitest';

type Steps<T> = Generator<Request, T, unknown>;

const at = (address: number) => ({ at: address, bytes: 4 });
const [source, target, flag, barrier] = [8, 12, 16, 20].map(at) as [Range, Range, Range, Range];
type Range = ReturnType<typeof at>;
const system = (order: 'relaxed' | 'acquire' | 'release') => ({ order, scope: 'system' }) as const;
const release = { order: 'release', scope: 'block' } as const;

function thread(rank: number, start: () => AgentSteps): AgentProgram {
  return { name: `thread of ${rank}`, coordinates: { rank, cta: rank, thread: 0 }, start };
}

function copier(rank: number): AgentProgram {
  // oxlint-disable-next-line require-yield -- the thread makes its requests
  return { name: 'copy', coordinates: { rank, cta: rank, thread: 0, proxy: 'async' }, start: function* () {} };
}

interface Copied {
  readonly reads: number;
  readonly completes: number;
}

/** Makes a bulk copy of one word. Its completion counts at `barrier`, if there is one. */
function* copy(rank: number, from: Range, to: Range, counts?: Range): Steps<Copied> {
  const [reads = 0, writes = 0] = yield* open([copier(rank), copier(rank)]);
  const bits = yield* as(reads, read(from, undefined, 'copy reads'));
  yield* as(writes, write(to, undefined, 'copy writes', bits));
  const [completes = 0] = yield* open([copier(rank)], [reads, writes]);
  yield* as(completes, fenceProxy('completion'));
  if (counts !== undefined)
    yield* as(
      completes,
      modify(counts, release, 'completion', (old) => old + 1n),
    );
  return { reads, completes };
}

function* waitFor(word: Range, access: ReturnType<typeof system> | { order: 'acquire'; scope: 'block' }): Steps<void> {
  yield* wait((look) => (look(word, access, 'look') > 0n ? { value: true } : undefined), 'wait');
}

/**
 * The results of all executions, the races, and the accesses by two proxies. Each is listed once
 * and sorted.
 */
function all(...programs: readonly AgentProgram[]) {
  const found = { results: new Set<string>(), races: new Set<string>(), mixes: new Set<string>() };
  const { complete } = exploreExecutions(programs, {
    runs: 1000,
    onExecution: ({ results, races, proxyMixes, run }) => {
      found.results.add(run.agents.flatMap(({ program }, i) => (program.name === 'copy' ? [] : results[i])).join());
      for (const { first, second } of races)
        found.races.add([first.site, second.site].map(String).toSorted().join(' and '));
      for (const { first, second } of proxyMixes)
        found.mixes.add([first.site, second.site].map(String).toSorted().join(' and '));
    },
  });
  const sorted = (set: ReadonlySet<string>): readonly string[] => [...set].toSorted();
  const { results, races, mixes } = found;
  return { results: sorted(results), races: sorted(races), mixes: sorted(mixes), complete };
}

describe('a flag that is stored after a bulk copy', () => {
  const reader = thread(1, function* () {
    yield* waitFor(flag, system('acquire'));
    return yield* use(yield* read(target, undefined, 'load'));
  });
  const sender = (order: 'relaxed' | 'release', until: 'written' | 'read' | 'nothing'): AgentProgram =>
    thread(0, function* () {
      yield* write(source, undefined, 'fill', 7n);
      yield* fenceProxy('fence');
      const { reads, completes } = yield* copy(0, source, target);
      if (until !== 'nothing') yield* join([until === 'read' ? reads : completes], 'wait_group');
      yield* write(flag, system(order), 'flag', 1n);
      return 0;
    });

  test('that is released after the copy has ended makes the copied bytes visible', () => {
    expect(all(sender('release', 'written'), reader)).toEqual({
      results: ['0,7'],
      races: [],
      mixes: [],
      complete: true,
    });
  });

  test.each([
    ['that is relaxed', 'relaxed', 'written'],
    ['after a wait for the reads of the copy only', 'release', 'read'],
    ['without a wait', 'release', 'nothing'],
  ] as const)('%s races with the reader, which may see old bytes', (_, order, until) => {
    expect(all(sender(order, until), reader)).toEqual({
      results: ['0,0', '0,7'],
      races: ['copy writes and load'],
      mixes: [],
      complete: true,
    });
  });
});

describe('a bulk copy of a word that its own thread has written', () => {
  const own = (isFenced: boolean, where: 'before' | 'after' = 'after'): AgentProgram =>
    thread(0, function* () {
      if (isFenced && where === 'before') yield* fenceProxy('fence');
      yield* write(source, undefined, 'fill', 7n);
      if (isFenced && where === 'after') yield* fenceProxy('fence');
      const { completes } = yield* copy(0, source, target);
      yield* join([completes], 'wait_group');
      return yield* use(yield* read(target, undefined, 'load'));
    });

  test('copies the new value after a proxy fence, and may copy the old one without a fence', () => {
    expect(all(own(true))).toEqual({ results: ['7'], races: [], mixes: [], complete: true });
    const mixed = { results: ['0', '7'], races: [], mixes: ['copy reads and fill'], complete: true };
    expect(all(own(false))).toEqual(mixed);
    expect(all(own(true, 'before'))).toEqual(mixed);
  });

  test('needs the fence between two threads too', () => {
    const across = (fenced: 'writer' | 'copier' | 'nowhere'): readonly AgentProgram[] => [
      thread(0, function* () {
        yield* write(source, undefined, 'fill', 7n);
        if (fenced === 'writer') yield* fenceProxy('fence');
        yield* write(flag, system('release'), 'flag', 1n);
        return 0;
      }),
      thread(1, function* () {
        yield* waitFor(flag, system('acquire'));
        if (fenced === 'copier') yield* fenceProxy('fence');
        const { completes } = yield* copy(1, source, target);
        yield* join([completes], 'wait_group');
        return yield* use(yield* read(target, undefined, 'load'));
      }),
    ];
    for (const where of ['writer', 'copier'] as const)
      expect(all(...across(where))).toMatchObject({ results: ['0,7'], races: [], mixes: [] });
    expect(all(...across('nowhere'))).toMatchObject({
      results: ['0,0', '0,7'],
      races: [],
      mixes: ['copy reads and fill'],
    });
  });
});

describe('a wait for the mbarrier of a bulk copy', () => {
  const waits = (by: 'mbarrier' | 'nothing'): AgentProgram =>
    thread(0, function* () {
      yield* write(source, undefined, 'fill', 7n);
      yield* fenceProxy('fence');
      yield* copy(0, source, target, barrier);
      if (by === 'mbarrier') yield* waitFor(barrier, { order: 'acquire', scope: 'block' });
      return yield* use(yield* read(target, undefined, 'load'));
    });

  test('is sufficient and necessary to read the bytes', () => {
    expect(all(waits('mbarrier'))).toEqual({ results: ['7'], races: [], mixes: [], complete: true });
    expect(all(waits('nothing'))).toEqual({
      results: ['0', '7'],
      races: ['copy writes and load'],
      mixes: [],
      complete: true,
    });
  });
});

describe('two bulk copies into one word', () => {
  const two = (between: 'wait_group' | 'nothing'): AgentProgram =>
    thread(0, function* () {
      yield* write(source, undefined, 'fill', 7n);
      yield* write(flag, undefined, 'fill', 8n);
      yield* fenceProxy('fence');
      const first = yield* copy(0, source, target);
      if (between === 'wait_group') yield* join([first.completes], 'wait_group');
      const second = yield* copy(0, flag, target);
      yield* join([first.completes, second.completes], 'wait_group');
      return yield* use(yield* read(target, undefined, 'load'));
    });

  test('race and leave either value, unless a wait comes between', () => {
    expect(all(two('wait_group'))).toEqual({ results: ['8'], races: [], mixes: [], complete: true });
    expect(all(two('nothing'))).toEqual({
      results: ['7', '8'],
      races: ['copy writes and copy writes'],
      mixes: [],
      complete: true,
    });
  });
});
