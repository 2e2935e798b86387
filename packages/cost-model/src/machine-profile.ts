import { NcclError, showValue } from '@nccl-ts/core';
import { valueAt, type SimByCtas, type SimByRanks, type SimTraceOptions } from './cost-model.ts';

/** The schema of machine profiles and its version. */
export const MACHINE_PROFILE: { readonly schema: string; readonly version: number } = Object.freeze({
  schema: 'nccl-ts/machine-profile',
  version: 1,
});

/** Launches of a graph in the benchmarks of collectives. */
const GRAPH_LAUNCHES = 20;

/**
 * The parameters that a profile may have. Those by the number of CTAs or ranks have `byCtas` or
 * `byRanks` in place of a value.
 */
const optional = {
  'launch.graphGap': 'ns',
  'launch.byCtas': 'ns',
  'launch.plain': 'ns',
  'launch.byRanks': 'ns',
  'issue.time': 'ns',
  'sync.cluster': 'ns',
  'sync.ctaFence': 'ns',
  'fence.byCtas': 'ns',
  'fence.ofCtaByCtas': 'ns',
  'fence.device': 'ns',
  'fence.deviceOfCta': 'ns',
  'fence.deviceStore': 'ns',
  'memory.ctaStoreBandwidth': 'bytes/ns',
  'nvlink.loadsByCtas': 'bytes/ns',
  'nvlink.storesByCtas': 'bytes/ns',
  'nvlink.flagsByCtas': 'ns',
  'nvlink.storeTrip': 'ns',
  'atomic.own': 'ns',
  'atomic.peer': 'ns',
} as const satisfies Readonly<Record<string, 'ns' | 'bytes/ns'>>;

/** The parameters that a profile must have, with their units. */
const units = {
  'launch.graph': 'ns',
  'memory.latency': 'ns',
  'memory.cachedLatency': 'ns',
  'memory.bandwidth': 'bytes/ns',
  'memory.ctaLoadBandwidth': 'bytes/ns',
  'nvlink.flagTrip': 'ns',
  'nvlink.loadTrip': 'ns',
  'nvlink.loadBandwidth': 'bytes/ns',
  'nvlink.storeBandwidth': 'bytes/ns',
  'nvlink.ctaStoreBandwidth': 'bytes/ns',
  'sync.cta': 'ns',
  'sync.fence': 'ns',
} as const satisfies Readonly<Record<string, 'ns' | 'bytes/ns'>>;

/**
 * Converts a profile to the costs in simulated time on that machine. The profile is the parsed JSON
 * of a file in `profiles/`, or of one that `nccl-ts profile` wrote. The launch cost is that of a
 * launch in a graph of `launches`, which share the begin and end of the graph.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the profile has another schema or version, or lacks
 *   a parameter.
 */
export function traceOfProfile(profile: unknown, launches: number = GRAPH_LAUNCHES): SimTraceOptions {
  const { schema, version } = MACHINE_PROFILE;
  if (field(profile, 'schema') !== schema || field(profile, 'version') !== version) {
    throw refusal(`must be a profile of schema ${schema}, version ${version}`, field(profile, 'schema'));
  }
  const parameters = field(profile, 'parameters');
  const value = (name: keyof typeof units): number => {
    const given = field(parameters, name);
    const number = field(given, 'value');
    if (typeof number !== 'number' || !(number > 0) || field(given, 'unit') !== units[name]) {
      throw refusal(`must have ${name} above 0 in ${units[name]}`, given);
    }
    return number;
  };
  const poll = value('memory.cachedLatency');
  const trip = value('nvlink.loadTrip');
  const inUnit = (name: keyof typeof optional, what: 'value' | 'byCtas' | 'byRanks'): unknown => {
    const given = field(parameters, name);
    if (given === undefined || field(given, 'unit') === optional[name]) return field(given, what);
    throw refusal(`must have ${name} in ${optional[name]}`, given);
  };
  const maybe = (name: keyof typeof optional): number | undefined => {
    const given = inUnit(name, 'value');
    return typeof given === 'number' ? given : undefined;
  };
  const table = (name: keyof typeof optional, by: 'byCtas' | 'byRanks' = 'byCtas'): SimByCtas | undefined => {
    const given = inUnit(name, by);
    if (!Array.isArray(given)) return undefined;
    return given.map((pair): readonly [number, number] => [Number(field(pair, '0')), Number(field(pair, '1'))]);
  };
  const added = table('launch.byRanks', 'byRanks') ?? [];
  // Older profiles have the gap of two ranks alone.
  const gap = maybe('launch.graphGap');
  const gaps = table('launch.graphGap', 'byRanks') ?? (gap === undefined ? [] : [[2, gap]]);
  return Object.freeze({
    launchLatency: value('launch.graph') + valueAt(gaps, 2, 0) / launches,
    ...asFar('launchByCtas', table('launch.byCtas')),
    ...asFar('launchPlain', maybe('launch.plain')),
    ...asFar('launchByRanks', launchByRanks(added, gaps, launches)),
    ...asFar('issueTime', maybe('issue.time')),
    syncTime: value('sync.cta'),
    fenceTime: value('sync.fence'),
    ...asFar('ctaFenceTime', maybe('sync.ctaFence')),
    ...asFar('fenceByCtas', table('fence.byCtas')),
    ...asFar('ctaFenceByCtas', table('fence.ofCtaByCtas')),
    ...asFar('clusterTime', maybe('sync.cluster')),
    ...asFar('deviceFenceTime', maybe('fence.device')),
    ...asFar('deviceCtaFenceTime', maybe('fence.deviceOfCta')),
    ...asFar('deviceStoreTime', maybe('fence.deviceStore')),
    ctaBandwidth: value('nvlink.ctaStoreBandwidth'),
    memory: Object.freeze({
      latency: value('memory.latency'),
      cachedLatency: poll,
      bandwidth: value('memory.bandwidth'),
      ctaBandwidth: value('memory.ctaLoadBandwidth'),
      ...asFar('ctaStoreBandwidth', maybe('memory.ctaStoreBandwidth')),
      ...asFar('atomicLatency', maybe('atomic.own')),
    }),
    nvlink: Object.freeze({
      // The measured trip of a flag includes the poll that sees it.
      latency: Math.max(0, value('nvlink.flagTrip') - poll),
      loadLatency: trip,
      ...asFar('storeLatency', maybe('nvlink.storeTrip')),
      bandwidth: value('nvlink.loadBandwidth'),
      storeBandwidth: value('nvlink.storeBandwidth'),
      ...asFar('byCtas', table('nvlink.loadsByCtas')),
      ...asFar('storesByCtas', table('nvlink.storesByCtas')),
      ...asFar('flagsByCtas', table('nvlink.flagsByCtas')),
      ...asFar('atomicLatency', maybe('atomic.peer')),
    }),
  });
}

/**
 * Nanoseconds by which a launch of more than two ranks takes longer, with its part of the gap
 * between graphs. `undefined` if no profile has them.
 */
function launchByRanks(added: SimByRanks, gaps: SimByRanks, launches: number): SimByRanks | undefined {
  const numbers = [...new Set([...added, ...gaps].map(([ranks]) => ranks))].toSorted((a, b) => a - b);
  if (numbers.length < 2) return undefined;
  const gapOfTwo = valueAt(gaps, 2, 0);
  return numbers.map((ranks) => {
    const gap = Math.max(0, valueAt(gaps, ranks, 0) - gapOfTwo);
    return [ranks, valueAt(added, ranks, 0) + gap / launches] as const;
  });
}

/** A property, unless its value is undefined. */
function asFar<K extends string, T>(name: K, value: T | undefined): { readonly [P in K]?: T } {
  const properties: { [P in K]?: T } = {};
  if (value !== undefined) properties[name] = value;
  return properties;
}

function field(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

function refusal(allowed: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `A machine profile ${allowed}; given ${showValue(given)}.`);
}
