import type { MicroResult } from './micro-benchmarks.ts';

/** A number of a machine's profile. */
export interface ProfileParameter {
  readonly value: number;
  readonly unit: 'ns' | 'bytes/ns';
  /** The micro-benchmark or publication from which it comes. */
  readonly source: string;
}

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
  const oneWarp = (result: MicroResult): boolean => result.ctas === 1 && result.threads === 32;
  const wide = (result: MicroResult): boolean => result.threads > 32;
  const release = of('release-trip', wide);
  const flag = of('flag-trip');
  const chained = of('launch-and-load');
  const cached = of('load-chain-own-cached');
  const cold = results.find(({ name }) => name === 'load-chain-own') ?? cached;
  return {
    // Empty kernels of a graph overlap, but kernels that access memory run one after the other.
    // That micro-benchmark's kernel loads the same word in each launch, so the word is in the L2
    // cache. The rest of its time is the launch.
    'launch.graph': {
      ...taken(chained, Math.max(1, chained.value - cached.value)),
      source: 'launch-and-load less load-chain-own-cached, 1 x 32',
    },
    'launch.graphEmpty': taken(of('launch-in-graph')),
    'launch.graphWide': taken(of('launch-in-graph', ({ ctas }) => ctas === 128)),
    'memory.latency': taken(cold),
    'memory.cachedLatency': taken(cached),
    'memory.bandwidth': taken(most('copy-own'), 2 * most('copy-own').value),
    'memory.ctaLoadBandwidth': taken(most('load-own', 1)),
    'memory.ctaStoreBandwidth': taken(most('store-own', 1)),
    'nvlink.flagTrip': taken(flag),
    'nvlink.loadTrip': taken(of('load-chain-peer-cached')),
    'nvlink.loadBandwidth': taken(most('load-peer')),
    'nvlink.storeBandwidth': taken(most('store-peer')),
    'nvlink.bothBandwidth': taken(most('both-peer')),
    'nvlink.ctaLoadBandwidth': taken(most('load-peer', 1)),
    'nvlink.ctaStoreBandwidth': taken(most('store-peer', 1)),
    'warp.loadBandwidth': taken(of('load-peer', oneWarp)),
    'warp.storeBandwidth': taken(of('store-peer', oneWarp)),
    'sync.cta': taken(of('cta-sync', wide)),
    'sync.fence': taken(of('fence')),
    'sync.release': taken(release, Math.max(0, release.value - flag.value)),
    'atomic.own': taken(of('atomic-chain-own')),
    'atomic.peer': taken(of('atomic-chain-peer')),
  };
}
