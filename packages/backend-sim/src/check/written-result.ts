import { wrongResultOf, type Finding, type FindingLabel } from '@nccl-ts/findings';
import { lastWritesAt, type HappensBefore } from '@nccl-ts/memory-model';
import type { Participants } from './participants.ts';

/** The heap address of a byte of a rank's copy of a window, by the window's name. */
export type AddressOf = (window: string, rank: number, offset: number) => number | undefined;

/** The finding of an error, and for a wrong result the access that gave the element its value. */
export function withWriter(
  finding: Finding,
  error: unknown,
  addressOf: AddressOf,
  { shadow, epochs }: HappensBefore,
  participants: Participants,
): Finding {
  const result = wrongResultOf(error)?.wrong;
  const address = result === undefined ? undefined : addressOf(result.window, result.rank, result.offset);
  if (address === undefined) return finding;
  const [write] = lastWritesAt(shadow, address, epochs);
  return writtenResult(finding, write === undefined ? undefined : participants.label(write));
}

/** Without an access, no kernel has written the element. */
function writtenResult(finding: Finding, write: FindingLabel | undefined): Finding {
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
