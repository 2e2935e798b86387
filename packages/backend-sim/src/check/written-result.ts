import type { Finding, FindingLabel } from '@nccl-ts/findings';

/**
 * A wrong result, with the access that gave the element its value. Without one, no kernel has
 * written it.
 */
export function writtenResult(finding: Finding, write: FindingLabel | undefined): Finding {
  if (write === undefined || write.agent === 'host')
    return Object.freeze({ ...finding, message: `${finding.message}; no kernel has stored to it` });
  const [purpose, launch, launches] = /\blaunch (\d+) of (\d+)/.exec(write.purpose ?? '') ?? [];
  const isOld = launch !== undefined && launches !== undefined && Number(launch) < Number(launches);
  return Object.freeze({
    ...finding,
    message: isOld ? `${finding.message}; no launch after ${purpose} has stored to it` : finding.message,
    labels: Object.freeze([...finding.labels, Object.freeze({ ...write, does: `last ${write.does}` })]),
  });
}
