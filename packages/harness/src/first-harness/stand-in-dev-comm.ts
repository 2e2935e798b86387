import { ncclCalls } from '../calls/nccl-calls.ts';
import type { DevCommRequirements } from '@nccl-ts/devcomm';
import { devCommArgument } from '../dev-comm-argument.ts';
import type { EntryFacts, ParameterFacts } from './entry-facts.ts';

/** Returns the parameter that is an `ncclDevComm` of the stand-in headers. */
export function standInDevComm({
  calls,
  parameters,
}: Pick<EntryFacts, 'calls' | 'parameters'>): ParameterFacts | undefined {
  if (!calls.some((name) => ncclCalls.has(name))) return undefined;
  return parameters.find(({ isStruct, bytes }) => isStruct && bytes === devCommArgument.type.bytes);
}

/** The calls that need a requirement, by the beginning of their names. */
const needs: readonly (readonly [prefix: string, requirement: (ctas: number) => DevCommRequirements])[] = [
  ['__nccl_ts_gin_', () => ({ ginConnectionType: 'full', ginSignalCount: 8 })],
  ['__nccl_ts_gin_wait_counter', () => ({ ginCounterCount: 8 })],
  ['__nccl_ts_gin_read_counter', () => ({ ginCounterCount: 8 })],
  ['__nccl_ts_barrier', (ctas) => ({ ginConnectionType: 'full', barrierCount: ctas, lsaBarrierCount: ctas })],
  ['__nccl_ts_gin_barrier', (ctas) => ({ worldGinBarrierCount: ctas, railGinBarrierCount: ctas })],
  ['__nccl_ts_lsa_barrier', (ctas) => ({ lsaBarrierCount: ctas })],
  ['__nccl_ts_multimem_pointer', () => ({ lsaMultimem: true })],
];

/**
 * Requirements on a device communicator that suit the calls of an entry: a barrier for each CTA,
 * and a few signals.
 */
export function plannedRequirements(calls: readonly string[], ctas: number): DevCommRequirements {
  return needs
    .filter(([prefix]) => calls.some((name) => name.startsWith(prefix)))
    .reduce<DevCommRequirements>((all, [, requirement]) => ({ ...all, ...requirement(ctas) }), {});
}
