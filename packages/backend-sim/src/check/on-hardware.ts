import { blockIdxText } from '@nccl-ts/transport';
import { isUnknownOnGpus, type Finding, type FindingLabel } from '@nccl-ts/findings';
import { readsSource } from './episodes.ts';

/** The parts that identify a race. */
type Race = Pick<Finding, 'kind' | 'message' | 'labels'> & Partial<Finding>;

/** Returns a race whose accesses today's GPUs keep in order as a finding with the reason. */
export function onHardware<F extends Race>(race: F): F & Pick<Finding, 'severity'> {
  return Object.freeze({ ...race, severity: 'model', message: `${race.message} by the memory model; ${reason(race)}` });
}

/**
 * True for a race, a wrong result or a failed assertion: each may come from a line of which only a
 * part has arrived. A race in shared memory does not, because such lines are in global memory.
 */
export function mayLeanOnLines({ kind, severity, fault, bytes }: Finding): boolean {
  if (severity !== 'error') return false;
  return (
    (kind === 'race' && bytes?.place.kind !== 'array') ||
    (kind === 'fault' && (fault === undefined || fault.kind === 'assert'))
  );
}

/**
 * Returns a race or a wrong result that a run with whole lines does not show. `store` is a store by
 * one lane to such a line.
 */
export function ofLines(finding: Finding, store: FindingLabel): Finding {
  const message = `${finding.message}, by the memory model; over NVLink an aligned line of 128 bytes arrives whole, if one instruction of one warp stores it, as does everywhere a line of 16 bytes that one instruction of a thread stores`;
  const missing = {
    kind: 'synchronisation',
    message:
      'no memory model orders the parts of one store, or the lanes of a warp: order all of them before the flag. Lines of 16 bytes arrive whole everywhere, and those of 128 bytes over NVLink, but not over PCIe',
    at: store,
  } as const;
  return asModel(finding, message, missing);
}

/** A wrong result of an execution in which a bulk copy misses a store that comes before it. */
export function ofMissedCopy(finding: Finding): Finding {
  const message = `${finding.message}, where a bulk copy misses a store that a flag has ordered before it; GPUs are not known to do that in global memory`;
  return asModel(finding, message);
}

/** The same for a load that no order of the memory model, but that of GPUs, puts after a store. */
export function ofMissedStore(finding: Finding, load: FindingLabel): Finding {
  const message = `${finding.message}, by the memory model; on GPUs, the load comes after the store that it misses`;
  const missing = {
    kind: 'acquire',
    message: 'no acquire orders this load after the store that it misses: put a fence before it',
    at: load,
  } as const;
  return asModel(finding, message, missing);
}

function asModel(finding: Finding, message: string, ...missing: Finding['missing']): Finding {
  return Object.freeze({
    ...finding,
    severity: 'model',
    message,
    missing: Object.freeze([...finding.missing, ...missing]),
  });
}

/** A race of two plain stores that store the same value, in either order. */
export function sameValue<F extends Race>(race: F): F & Pick<Finding, 'severity'> {
  return Object.freeze({ ...race, severity: 'note', message: `${race.message}, and writes the same value` });
}

function reason(race: Race): string {
  const { labels, missing = [] } = race;
  if (isUnknownOnGpus(race))
    return 'whether GPUs order them is not known, because the atomic names no scope and the memory may be of another GPU';
  if (isReadBeforePut(labels))
    return 'GPUs order them if an instruction before the later flag uses the loaded value, because the put is posted after the wait for that flag has ended';
  if (labels.some(readsSource))
    return 'GPUs order them, because the network has read the source of an operation before its signal arrives, and no store takes effect before the wait for the later flag has ended';
  if (labels.some(({ agent }) => agent === 'network'))
    return 'a wait reads this word with one load, and network cards write an aligned word of up to 8 bytes at once; NCCL promises that of a signal only';
  if (labels.some(({ polls }) => polls === true))
    return 'GPUs order them, because they store up to 16 aligned bytes at once and the wait reads them with one load';
  const [nearest] = missing;
  const [now, before] = labels;
  if (nearest?.kind === 'acquire' && now?.does === 'load' && now.access !== undefined)
    return 'GPUs order them, because the load has a memory order, and it begins after the read that decides if it runs';
  if (now?.does !== 'load' && before?.does === 'load')
    return 'GPUs order them if an instruction before the later flag uses the loaded value, because no store takes effect before the wait for that flag has ended';
  if (nearest?.kind === 'acquire')
    return 'GPUs order them, because no access begins before an earlier volatile wait has ended';
  if (nearest?.kind === 'release' && isOfAnotherBlock(nearest.at, before))
    return 'GPUs order them, because what a thread has acquired is visible before its later stores';
  if (nearest?.kind === 'release' || nearest?.kind === 'coop-sync')
    return 'GPUs order them, because each thread fences before the barrier of its block, and the flag is stored after it';
  return 'GPUs order them with the fences, volatile accesses and barriers between the two';
}

/** True for a load, other than that of a wait, of bytes that the network writes. */
function isReadBeforePut(labels: readonly FindingLabel[]): boolean {
  return (
    labels.some(({ agent }) => agent === 'network') &&
    labels.some(({ agent, does, polls }) => agent === 'thread' && does === 'load' && polls !== true)
  );
}

function isOfAnotherBlock(a: FindingLabel | undefined, b: FindingLabel | undefined): boolean {
  if (a?.blockIdx === undefined || b?.blockIdx === undefined) return true;
  return a.rank !== b.rank || blockIdxText(a.blockIdx) !== blockIdxText(b.blockIdx);
}
