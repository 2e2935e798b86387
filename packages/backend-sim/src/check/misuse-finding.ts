import { describeWord, type Finding, type FindingLabel, type LocatedWord, type ScheduleId } from '@nccl-ts/findings';

export interface Misuse {
  /** One sentence, without source locations. */
  readonly message: string;
  readonly labels: readonly FindingLabel[];
  readonly schedule: ScheduleId;
  /** The u64 in question. */
  readonly word?: { readonly address: number; readonly locate: (address: number) => LocatedWord | undefined };
}

/** A violated rule of the device API, after which the kernel continues. */
export function misuseFinding({ message, labels, schedule, word }: Misuse): Finding {
  return Object.freeze({
    kind: 'misuse',
    severity: 'error',
    message,
    labels: Object.freeze([...labels]),
    ...(word === undefined ? {} : { bytes: Object.freeze({ place: meaningOf(word), bytes: 8 }) }),
    missing: Object.freeze([]),
    certainty: 'this schedule',
    schedule,
  } satisfies Finding);
}

/**
 * An access to the shared memory of another CTA of the cluster, which may have ended. The labels
 * are the access and the CTA that ends.
 */
export function goneFinding([access, end]: readonly FindingLabel[], schedule: ScheduleId): Finding {
  const message =
    'a CTA may end before another CTA of its cluster has accessed its shared memory, which is then gone: let it wait for the barrier of the cluster at its end';
  const labels = [
    access,
    end === undefined
      ? undefined
      : { ...end, does: 'end of the CTA', ...(access?.kernel === undefined ? {} : { kernel: access.kernel }) },
  ];
  return misuseFinding({ message, labels: labels.filter((label) => label !== undefined), schedule });
}

/** An access to the shared memory of another CTA of the cluster, which may not have started. */
export function earlyFinding(access: FindingLabel, schedule: ScheduleId): Finding {
  const message =
    'a CTA may access the shared memory of another CTA of its cluster before that has started: let all wait for the barrier of the cluster first';
  return misuseFinding({ message, labels: [access], schedule });
}

/** An ordinary store through a multicast address, by the thread of `label`. */
export function broadcastFinding(label: FindingLabel, schedule: ScheduleId): Finding {
  const message =
    'a store that is not multimem.st goes through a multicast address: PTX leaves it undefined, but GPUs store to every copy';
  return Object.freeze({ ...misuseFinding({ message, labels: [label], schedule }), severity: 'model' });
}

function meaningOf({ address, locate }: NonNullable<Misuse['word']>): ReturnType<typeof describeWord> {
  return describeWord({ address, region: 0, space: 'global', type: 'u64', value: 0n }, () => locate(address));
}
