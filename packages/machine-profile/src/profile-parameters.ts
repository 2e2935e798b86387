import { medianOf, WARP_SIZE } from '@nccl-ts/core';
import type { MicroResult } from './micro-options.ts';

/** A number of a machine's profile. */
export interface ProfileParameter {
  readonly value?: number;
  /** Or values by the number of CTAs. */
  readonly byCtas?: readonly (readonly [ctas: number, value: number])[];
  /** Or values by the number of ranks. */
  readonly byRanks?: readonly (readonly [ranks: number, value: number])[];
  readonly unit: 'ns' | 'bytes/ns';
  /** The micro-benchmark or publication from which it comes. */
  readonly source: string;
}

/** So many CTAs can fill a link: fewer are limited by what one of them moves. */
const LINK_CTAS = 16;

/** Instructions of the kernel of launch-and-flags behind its load, as the simulator counts them. */
export const FLAG_INSTRUCTIONS = 22;

/** Nanoseconds of its two steps: before its load, and behind its wait. The simulator sets them. */
export const FLAG_STEPS = 40;

/** The same of a trip of release-trip. */
export const RELEASE_INSTRUCTIONS = 3;
export const RELEASE_STEPS = 40;

/** Throws if a micro-benchmark is missing. */
export function profileParameters(results: readonly MicroResult[]): Readonly<Record<string, ProfileParameter>> {
  const of = (name: string, matches: (result: MicroResult) => boolean = () => true): MicroResult => {
    const found = results.find((result) => result.name === name && matches(result));
    if (found === undefined) throw new Error(`the micro-benchmark ${name} gave no result`);
    return found;
  };
  const most = (name: string, ctas = Infinity): MicroResult => {
    const those = results.filter((result) => result.name === name && result.ctas <= ctas);
    return those.reduce((best, next) => (next.value > best.value ? next : best), of(name));
  };
  const taken = (result: MicroResult, value = result.value): ProfileParameter => ({
    value: Number(value.toPrecision(4)),
    unit: result.unit,
    source: `${result.name}, ${result.ctas} x ${result.threads}, ${result.packs} at once`,
  });
  /** The greatest value for each number of CTAs from `least` on, less `base`, of two ranks. */
  const byCtas = (name: string, base = 0, least = 1): ProfileParameter => {
    const those = results.filter((result) => result.name === name && result.ctas >= least && (result.ranks ?? 2) === 2);
    const numbers = [...new Set(those.map(({ ctas }) => ctas))].toSorted((x, y) => x - y);
    return {
      byCtas: numbers.map((ctas) => {
        const values = those.filter((result) => result.ctas === ctas).map(({ value }) => value);
        return [ctas, Number(Math.max(0, Math.max(...values) - base).toPrecision(4))] as const;
      }),
      unit: of(name).unit,
      source: base === 0 ? name : `${name}, less that of 1 CTA`,
    };
  };
  /** A parameter by the number of ranks, from the results for so many ranks. */
  const byRanks = (
    name: string,
    source: string,
    valueOf: (those: readonly MicroResult[]) => number,
  ): ProfileParameter => {
    const those = results.filter((result) => result.name === name);
    const numbers = [...new Set(those.map(({ ranks = 2 }) => ranks))].toSorted((x, y) => x - y);
    const pair = (ranks: number): readonly [number, number] => {
      const value = valueOf(those.filter((result) => result.ranks === ranks));
      return [ranks, Number(Math.max(0, value).toPrecision(4))];
    };
    return { byRanks: numbers.map(pair), unit: 'ns', source };
  };
  const flags = (ranks: number, { ctas, threads }: MicroResult): number =>
    of('launch-and-flags', (one) => one.ranks === ranks && one.ctas === ctas && one.threads === threads).value;
  const oneWarp = (result: MicroResult): boolean => result.ctas === 1 && result.threads === WARP_SIZE;
  const wide = (result: MicroResult): boolean => result.threads > WARP_SIZE;
  const release = of('release-trip', wide);
  const narrow = of('release-trip', oneWarp);
  const flag = of('flag-trip');
  const flagged = of('launch-and-flags', ({ ranks }) => ranks === 2);
  const cached = of('load-chain-own-cached');
  const cold = results.find(({ name }) => name === 'load-chain-own') ?? cached;
  const empty = results.filter(({ name }) => name === 'launch-in-graph');
  const widest = empty.reduce((best, next) => (next.ctas > best.ctas && next.ctas <= 128 ? next : best), flagged);
  const issue = of('issue', wide);
  const sync = of('cta-sync', wide);
  const steps = FLAG_STEPS + FLAG_INSTRUCTIONS * issue.value;
  const releases = RELEASE_STEPS + RELEASE_INSTRUCTIONS * issue.value + 2 * of('cta-sync', oneWarp).value;
  const fence = of('fence');
  const ctaFence = of('fence-of-cta');
  return {
    // That micro-benchmark's kernel loads a word and sends a flag. Ranks that wait for each other
    // begin together, and the next launch is ready while they wait. The rest of the time is the end
    // of one launch and the begin of the next.
    'launch.graph': {
      ...taken(flagged, Math.max(1, flagged.value - flag.value - cached.value - steps)),
      source: 'launch-and-flags less flag-trip, load-chain-own-cached and its instructions, 1 x 32, 2 ranks',
    },
    'launch.byCtas': byCtas('launch-and-flags', flagged.value),
    'launch.byRanks': byRanks('launch-and-flags', 'launch-and-flags, less that of 2 ranks', (those) =>
      middleOf(those.map((result) => result.value - flags(2, result))),
    ),
    'launch.graphGap': byRanks('graph-gap', 'graph-gap, the median of all launches', (those) =>
      middleOf(those.map(({ value }) => value)),
    ),
    'launch.graphEmpty': taken(of('launch-in-graph')),
    'launch.graphWide': taken(widest),
    'memory.latency': taken(cold),
    'memory.cachedLatency': taken(cached),
    'memory.bandwidth': taken(most('copy-own'), 2 * most('copy-own').value),
    'memory.ctaLoadBandwidth': taken(most('load-own', 1)),
    'memory.ctaStoreBandwidth': taken(most('store-own', 1)),
    'nvlink.flagTrip': taken(flag),
    'nvlink.loadTrip': taken(of('load-chain-peer-cached')),
    // That micro-benchmark stores one line for each thread, and then sends a flag.
    'nvlink.storeTrip': {
      ...taken(narrow, Math.max(1, narrow.value - flag.value - releases)),
      source: 'release-trip less flag-trip, two of cta-sync and its instructions, 1 x 32',
    },
    'nvlink.loadBandwidth': taken(most('load-peer')),
    'nvlink.storeBandwidth': taken(most('store-peer')),
    'nvlink.loadsByCtas': byCtas('load-peer', 0, LINK_CTAS),
    // Stores of data have loaded them from the own memory.
    'nvlink.storesByCtas': byCtas('copy-peer', 0, LINK_CTAS),
    'nvlink.bothBandwidth': taken(most('both-peer')),
    'nvlink.ctaLoadBandwidth': taken(most('load-peer', 1)),
    'nvlink.ctaStoreBandwidth': taken(most('store-peer', 1)),
    'warp.loadBandwidth': taken(of('load-peer', oneWarp)),
    'warp.storeBandwidth': taken(of('store-peer', oneWarp)),
    'issue.time': taken(issue),
    'sync.cta': taken(sync),
    'sync.fence': taken(fence),
    // That micro-benchmark synchronizes after each fence.
    'sync.ctaFence': taken(ctaFence, Math.max(fence.value, ctaFence.value - sync.value)),
    'sync.release': taken(release, Math.max(0, release.value - flag.value)),
    'atomic.own': taken(of('atomic-chain-own')),
    'atomic.peer': taken(of('atomic-chain-peer')),
    ...separateSyncs(results),
    ...flagsByCtas(results),
  };
}

/**
 * The costs of fences by their scope. Orders make no difference, and an acquire costs what a
 * relaxed load does. There are none if they were not measured, as in older profiles.
 */
function separateSyncs(results: readonly MicroResult[]): Readonly<Record<string, ProfileParameter>> {
  const less = (name: string, base: string): ProfileParameter | undefined => {
    const [found, without] = [name, base].map((one) => results.find((result) => result.name === one));
    if (found === undefined || without === undefined) return undefined;
    const value = Number(Math.max(0, found.value - without.value).toPrecision(4));
    return { value, unit: 'ns', source: `${name} less ${base}, ${found.ctas} x ${found.threads}` };
  };
  const parameters = {
    'fence.block': less('fence-acq_rel-block', 'fence-none'),
    'fence.device': less('fence-acq_rel-device', 'fence-none'),
    'fence.deviceOfCta': less('fence-acq_rel-device-of-cta', 'fence-none-of-cta'),
    'fence.deviceStore': less('fence-acq_rel-device-behind-peer-store', 'store-relaxed-system-peer'),
    'fence.deviceSequential': less('fence-seq_cst-device', 'fence-none'),
    'fence.systemAlone': less('fence-acq_rel-system', 'fence-none'),
    'fence.systemSequential': less('fence-seq_cst-system', 'fence-none'),
    'fence.systemBehindPeerStore': less('fence-acq_rel-system-behind-peer-store', 'store-relaxed-system-peer'),
    'release.device': less('store-release-device-own', 'store-relaxed-system-own'),
    'release.system': less('store-release-system-own', 'store-relaxed-system-own'),
    'acquire.device': less('load-acquire-device-own', 'load-relaxed-system-own'),
    'acquire.system': less('load-acquire-system-own', 'load-relaxed-system-own'),
  };
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The threads of a CTA whose flags are compared. */
const FLAG_THREADS = 128;

/** How much later the last flag of several CTAs comes. Nothing if that was not measured. */
function flagsByCtas(results: readonly MicroResult[]): Readonly<Record<string, ProfileParameter>> {
  const those = results.filter(
    ({ name, ctas, threads }) => name === `part-flags-${ctas}-1` && threads === FLAG_THREADS,
  );
  const one = those.find(({ ctas }) => ctas === 1);
  if (one === undefined) return {};
  const pairs = those
    .map(({ ctas, value }): readonly [number, number] => [ctas, Number(Math.max(0, value - one.value).toPrecision(4))])
    .toSorted(([a], [b]) => a - b);
  return { 'nvlink.flagsByCtas': { byCtas: pairs, unit: 'ns', source: 'part-flags, less that of 1 CTA' } };
}

/** The committed profiles hold a measured value, which a mean of two would not be. */
function middleOf(values: readonly number[]): number {
  return medianOf(values, 'greater');
}
