import type { Finding, ScheduleId } from '@nccl-ts/findings';
import type { RankMisuse } from '@nccl-ts/transport';
import { misuseFinding } from './misuse-finding.ts';
import { hostLabel } from './participants.ts';

/**
 * Errors that are also findings of a report. The caller receives them too, and may let them end the
 * program.
 */
const reported: WeakSet<object> = /* @__PURE__ */ new WeakSet();

/**
 * Converts mismatched calls of ranks to a finding. From then on {@link isReported} recognises the
 * error.
 */
export function rankMisuseFinding({ error, calls }: RankMisuse, schedule: ScheduleId): Finding {
  reported.add(error);
  return misuseFinding({
    message: error.message,
    labels: calls.map(({ rank, does, call }) => hostLabel(rank, does, call)),
    schedule,
  });
}

/**
 * True if a report already has this error, or one of its causes, or one of the errors that it
 * combines.
 */
export function isReported(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (reported.has(error)) return true;
  return error instanceof AggregateError ? error.errors.some(isReported) : isReported(error.cause);
}
