import {
  after,
  exploreExecutions,
  fence,
  join,
  known,
  meet,
  modify,
  read,
  spawn,
  use,
  wait,
  write,
  type AgentProgram,
  type AgentSteps,
  type SpawnedAfter,
  type SpaceOptions,
} from '@nccl-ts/memory-model';
import { describe, expect, test } from 'vitest';

const at = (address: number, bytes = 4): { at: number; bytes: number } => ({ at: address, bytes });
const strong = (order: 'relaxed' | 'acquire' | 'release') => ({ order, scope: 'system' }) as const;

function agent(rank: number, start: () => AgentSteps, thread = 0): AgentProgram {
  return { name: `${rank}.${thread}`, coordinates: { rank, cta: rank, thread }, start };
}

/**
 * The final states of all executions, their races and the blocked agents, sorted and without
 * duplicates.
 */
function all(programs: readonly AgentProgram[], options: Partial<SpaceOptions> = {}) {
  const results = new Set<string>();
  const races = new Set<string>();
  const blocked = new Set<string>();
  const { complete, executions } = exploreExecutions(programs, {
    runs: 10_000,
    ...options,
    onExecution: (execution) => {
      for (const { first, second } of execution.races)
        races.add([first.site, second.site].map(String).toSorted().join());
      if (execution.blocked.length === 0) results.add(execution.results.map(String).join());
      else blocked.add(execution.blocked.map(({ program }) => program.name).join());
    },
  });
  const sorted = (set: ReadonlySet<string>): readonly string[] => [...set].toSorted();
  return { results: sorted(results), races: sorted(races), blocked: sorted(blocked), complete, executions };
}

describe('executions', () => {
  test('combine accesses of different sizes byte by byte, and report their races', () => {
    const writer = agent(0, function* () {
      yield* write(at(8, 2), strong('relaxed'), 'low', 0x1111n);
      yield* write(at(10, 2), strong('relaxed'), 'high', 0x2222n);
      return 0;
    });
    const reader = agent(1, function* () {
      const bits = yield* read(at(8), strong('relaxed'), 'word');
      return after([bits], () => known(bits).toString(16));
    });
    const found = all([writer, reader]);
    expect(found.results).toEqual(['0,0', '0,1111', '0,22220000', '0,22221111']);
    expect(found.races).toEqual(['high,word', 'low,word']);
  });

  test('show a narrow write inside a wide one to the thread that wrote both', () => {
    const alone = agent(0, function* () {
      yield* write(at(16, 8), undefined, 'wide', 0x1122334455667788n);
      yield* write(at(18, 1), undefined, 'byte', 0xffn);
      return (yield* use(yield* read(at(16, 8), undefined, 'back'))).toString(16);
    });
    expect(all([alone])).toMatchObject({ results: ['1122334455ff7788'], races: [], executions: 1 });
  });

  test('let a wait pass with any value that it may read, or block it forever', () => {
    const setter = (value: bigint) =>
      agent(0, function* () {
        yield* write(at(8), strong('release'), 'set', value);
        return 'set';
      });
    const waiter = agent(1, function* () {
      return yield* wait((look) => {
        const value = look(at(8), strong('acquire'), 'look');
        return value >= 2n ? { value } : undefined;
      }, 'wait');
    });
    expect(all([setter(3n), waiter])).toMatchObject({ results: ['set,3'], blocked: [] });
    expect(all([setter(1n), waiter])).toMatchObject({ results: [], blocked: ['1.0'] });
  });

  test('order threads that synchronize, and block those whose partners never do', () => {
    const pair = (met: boolean): readonly AgentProgram[] =>
      [0, 1].map((index) =>
        agent(
          0,
          function* () {
            if (index === 0) yield* write(at(8), undefined, 'before', 5n);
            if (met || index === 0) yield* meet({ group: 'pair', size: 2, index, give: index });
            return index === 0 ? 0 : yield* use(yield* read(at(8), undefined, 'after'));
          },
          index,
        ),
      );
    expect(all(pair(true))).toMatchObject({ results: ['0,5'], races: [] });
    expect(all(pair(false))).toMatchObject({ blocked: ['0.0'], races: ['after,before'] });
  });

  test('order a spawned thread after its parent, and a join after the thread', () => {
    const parent = (after: SpawnedAfter) =>
      agent(0, function* () {
        yield* write(at(8), undefined, 'early', 1n);
        yield* fence({ order: 'release', scope: 'system' }, 'fence');
        yield* write(at(12), undefined, 'late', 1n);
        const child = agent(1, function* () {
          yield* write(at(16), undefined, 'child', yield* read(at(8), undefined, 'early?'));
          yield* read(at(12), undefined, 'late?');
          return 0;
        });
        yield* join(yield* spawn([child], after), 'join');
        return yield* use(yield* read(at(16), undefined, 'child?'));
      });
    expect(all([parent('everything')]).races).toEqual([]);
    expect(all([parent('releases')]).races).toEqual(['late,late?']);
    expect(all([parent('nothing')]).races).toEqual(['early,early?', 'late,late?']);
  });

  test('order read-modify-writes of many threads in every possible order', () => {
    const adders = [0, 1, 2].map((rank) =>
      agent(rank, function* () {
        return yield* modify(at(8), strong('relaxed'), 'add', (old) => old + 1n);
      }),
    );
    expect(all(adders)).toMatchObject({
      results: ['0,1,2', '0,2,1', '1,0,2', '1,2,0', '2,0,1', '2,1,0'],
      races: [],
      executions: 6,
    });
  });

  test('report every bound that they reach', () => {
    const spinner = agent(0, function* () {
      while ((yield* use(yield* read(at(8), strong('relaxed'), 'spin'))) === 0n);
      return 0;
    });
    expect(all([spinner], { events: 100 }).complete).toBe(false);
    const many = [0, 1, 2].map((rank) =>
      agent(rank, function* () {
        yield* modify(at(8), strong('relaxed'), 'add', (old) => old + 1n);
        return 0;
      }),
    );
    expect(all(many, { runs: 3 }).complete).toBe(false);
  });
});
