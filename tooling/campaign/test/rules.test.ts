import type { Severity } from '@nccl-ts/findings';
import { describe, expect, test } from 'vitest';
import type { Observation } from '../src/observation.ts';
import { rules, type Seen } from '../src/rules.ts';

const clean = (engine: string, role: Observation['role'], change: Partial<Observation> = {}): Observation => ({
  engine,
  role,
  verdict: 'clean',
  errors: new Set(),
  races: new Set(),
  severities: new Map(),
  mixesProxies: false,
  claimsAll: role !== 'default' && role !== 'sampled',
  outcomes: new Set(['1']),
  thrown: undefined,
  report: '{}',
  ...change,
});
const racing = (pair: string): Partial<Observation> => ({
  verdict: 'race',
  errors: new Set(['race'] as const),
  races: new Set([pair]),
  severities: new Map([[pair, 'error' as const]]),
});

const withSeverity = (severity: Severity): Partial<Observation> => ({
  ...racing('a ~ b'),
  severities: new Map([['a ~ b', severity]]),
});

interface Change {
  readonly default?: Partial<Observation>;
  readonly sampled?: Partial<Observation>;
  readonly counted?: Partial<Observation>;
  readonly exhaustive?: Partial<Observation>;
  readonly graph?: Partial<Observation>;
  readonly again?: Partial<Observation>;
  readonly truth?: Seen['truth'];
}

function seen(change: Change): Seen {
  const usual = clean('default', 'default', change.default);
  const sampled = clean('random', 'sampled', change.sampled);
  const counted = clean('counted', 'counted', change.counted);
  const exhaustive = clean('exhaustive', 'exhaustive', change.exhaustive);
  const graph = clean('graph', 'graph', change.graph);
  return {
    observations: [usual, sampled, counted, exhaustive, graph],
    defaults: [usual],
    sampled: [sampled],
    counted,
    exhaustive,
    graph,
    truth: change.truth,
    repeated: [[usual, clean('default', 'default', { ...change.default, ...change.again })]],
  };
}

function brokenBy(change: Change): readonly string[] {
  return rules.filter(({ broken }) => broken(seen(change)) !== undefined).map(({ name }) => name);
}

const truth = { outcomes: new Set(['1']), races: false, deadlocks: false };
const all = racing('a ~ b');

describe('rules of agreement', () => {
  test('are kept if all engines agree', () => {
    expect(brokenBy({ truth })).toEqual([]);
    const every = { default: all, sampled: all, counted: all, exhaustive: all, graph: all };
    expect(brokenBy({ ...every, truth: { ...truth, races: true } })).toEqual([]);
  });

  test('let a sampled schedule miss an error, but not the default', () => {
    expect(brokenBy({ default: all, counted: all, exhaustive: all, graph: all })).toEqual([]);
    expect(brokenBy({ sampled: all, counted: all, exhaustive: all, graph: all })).toEqual([
      'default-misses-all-schedules',
      'default-misses',
    ]);
  });

  test.each<readonly [string, Change]>([
    ['throws', { sampled: { verdict: undefined, thrown: 'NCCL_INTERNAL_ERROR: why' } }],
    ['not-repeatable', { again: { report: '{"other":1}' } }],
    ['clean-beside-an-error', { sampled: { errors: new Set(['leftover'] as const), verdict: 'misuse' } }],
    ['proven-clean-beside-an-error', { sampled: all }],
    ['proven-clean-graph-not', { default: all, exhaustive: all, graph: all }],
    ['proven-race-graph-clean', { default: all, counted: all }],
    ['proven-race-not-in-graph', { counted: all, graph: racing('c ~ d') }],
    ['proven-races-fewer', { counted: all, graph: { ...all, races: new Set(['a ~ b', 'c ~ d']) } }],
    ['proven-outcome-differs', { graph: { outcomes: new Set(['1', '2']) } }],
    ['race-not-in-graph', { sampled: all, graph: racing('c ~ d') }],
    ['default-milder-than-graph', { default: withSeverity('note'), counted: all, graph: all }],
    ['proven-race-milder-than-graph', { default: all, counted: withSeverity('model'), graph: all }],
    ['severer-than-graph', { sampled: all, graph: withSeverity('model') }],
    ['pair-severity-differs', { default: all, graph: withSeverity('note') }],
    ['uninitialised-differs', { graph: { errors: new Set(['uninitialised'] as const), verdict: 'uninitialised' } }],
    ['racy-outcome-not-in-graph', { sampled: { outcomes: new Set(['3']) }, graph: all }],
    ['kind-not-in-graph', { sampled: { errors: new Set(['deadlock'] as const), verdict: 'deadlock' } }],
    ['proxy-fences-differ', { graph: { errors: new Set(['proxy'] as const), verdict: 'race' } }],
    ['proxy-fences-differ', { sampled: { errors: new Set(['proxy'] as const), verdict: 'race' } }],
    ['outcome-not-in-graph', { sampled: { outcomes: new Set(['3']) } }],
    ['oracle-outcomes-differ', { truth: { ...truth, outcomes: new Set(['1', '4']) } }],
    ['oracle-races-differ', { truth: { ...truth, races: true } }],
    ['oracle-deadlocks-differ', { truth: { ...truth, deadlocks: true } }],
    ['proven-clean-oracle-not', { truth: { ...truth, races: true } }],
  ])('a broken rule of agreement is reported: %s', (name, change) => {
    expect(brokenBy(change)).toContain(name);
  });

  test('let a deadlock that ends the default hide memory that another schedule loads unset', () => {
    const ends = { errors: new Set(['deadlock'] as const), verdict: 'deadlock' } as const;
    const graph = { errors: new Set(['deadlock', 'uninitialised'] as const), verdict: 'deadlock' } as const;
    expect(brokenBy({ default: ends, graph })).not.toContain('uninitialised-differs');
  });

  test('do not apply to values if accesses mix proxies', () => {
    const graph = { outcomes: new Set(['1', '2']) };
    expect(brokenBy({ graph, counted: { mixesProxies: true } })).toEqual([]);
  });

  test('ignore a graph engine that reached its limit', () => {
    const graph = { claimsAll: false, verdict: 'incomplete' } as const;
    expect(brokenBy({ graph, sampled: all, exhaustive: all, counted: { claimsAll: false } })).toEqual([]);
  });
});
