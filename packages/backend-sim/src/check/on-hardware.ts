import type { Finding } from '@nccl-ts/findings';

/** The parts that identify a race. */
type Race = Pick<Finding, 'kind' | 'message' | 'labels'> & Partial<Finding>;

/** A race whose accesses present GPUs keep in order, as a finding with the reason. */
export function onHardware<F extends Race>(race: F): F & Pick<Finding, 'severity'> {
  return Object.freeze({ ...race, severity: 'model', message: `${race.message} by the memory model; ${reason(race)}` });
}

/** A race of two plain stores of one value, in either order. */
export function sameValue<F extends Race>(race: F): F & Pick<Finding, 'severity'> {
  return Object.freeze({ ...race, severity: 'note', message: `${race.message}, and writes the same value` });
}

function reason({ labels, missing = [] }: Race): string {
  if (labels.some(({ polls }) => polls === true))
    return 'GPUs order them, since they store 16 aligned bytes at once and the wait reads them with one load';
  const [nearest] = missing;
  if (nearest?.kind === 'acquire') return 'GPUs order them: no access begins before an earlier volatile wait has ended';
  const [now, before] = labels;
  if (now?.does !== 'load' && before?.does === 'load')
    return 'GPUs order them: the load has ended when the flag after it is stored, and no store happens before the wait for it has ended';
  if (nearest?.kind === 'release' || nearest?.kind === 'coop-sync')
    return 'GPUs order them, since each thread fences before the barrier of its block, and the flag is stored after it';
  return 'GPUs order them by the fences, volatile accesses and barriers between the two';
}
