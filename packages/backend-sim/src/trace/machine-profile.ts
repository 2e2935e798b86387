import { NcclError, showValue } from '@nccl-ts/core';
import type { SimTraceOptions } from './cost-model.ts';

/** The schema of machine profiles and its version. */
export const MACHINE_PROFILE: { readonly schema: string; readonly version: number } = Object.freeze({
  schema: 'nccl-ts/machine-profile',
  version: 1,
});

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
 * of a file in `profiles/`, or of one that the micro-benchmarks wrote. The launch cost is that of
 * launches in a graph.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the profile has another schema or version, or lacks
 *   a parameter.
 */
export function traceOfProfile(profile: unknown): SimTraceOptions {
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
  // A measured release includes the acknowledgement of a store to a peer, which the model counts
  // separately.
  const release = field(field(parameters, 'sync.release'), 'value');
  const fenceTime = typeof release === 'number' ? Math.max(0, release - trip) : value('sync.fence');
  return Object.freeze({
    launchLatency: value('launch.graph'),
    syncTime: value('sync.cta'),
    fenceTime,
    ctaBandwidth: value('nvlink.ctaStoreBandwidth'),
    memory: Object.freeze({
      latency: value('memory.latency'),
      cachedLatency: poll,
      bandwidth: value('memory.bandwidth'),
      ctaBandwidth: value('memory.ctaLoadBandwidth'),
    }),
    nvlink: Object.freeze({
      // The measured trip of a flag includes the poll that sees it.
      latency: Math.max(0, value('nvlink.flagTrip') - poll),
      loadLatency: trip,
      bandwidth: value('nvlink.loadBandwidth'),
      storeBandwidth: value('nvlink.storeBandwidth'),
    }),
  });
}

function field(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

function refusal(allowed: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `A machine profile ${allowed}; given ${showValue(given)}.`);
}
