import type { Finding } from '@nccl-ts/findings';

/** The parts that identify a race. */
type Race = Pick<Finding, 'kind' | 'message' | 'labels'> & Partial<Finding>;

/** Returns a race whose accesses today's GPUs keep in order as a finding with the reason. */
export function onHardware<F extends Race>(race: F): F & Pick<Finding, 'severity'> {
  return Object.freeze({ ...race, severity: 'model', message: `${race.message} by the memory model; ${reason(race)}` });
}

/** A race of two plain stores that store the same value, in either order. */
export function sameValue<F extends Race>(race: F): F & Pick<Finding, 'severity'> {
  return Object.freeze({ ...race, severity: 'note', message: `${race.message}, and writes the same value` });
}

function reason({ labels, missing = [] }: Race): string {
  if (labels.some(({ polls }) => polls === true))
    return 'GPUs order them, because they store 16 aligned bytes at once and the wait reads them with one load';
  const [nearest] = missing;
  if (nearest?.kind === 'acquire')
    return 'GPUs order them, because no access begins before an earlier volatile wait has ended';
  const [now, before] = labels;
  if (now?.does !== 'load' && before?.does === 'load')
    return 'GPUs order them, because the load has ended when the later flag is stored, and no store takes effect before the wait for that flag has ended';
  if (nearest?.kind === 'release' || nearest?.kind === 'coop-sync')
    return 'GPUs order them, because each thread fences before the barrier of its block, and the flag is stored after it';
  return 'GPUs order them with the fences, volatile accesses and barriers between the two';
}
