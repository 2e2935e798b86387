import { shownPosition, wordText, type FindingLabel, type MissingIngredient, type QuotedLocation } from '@nccl-ts/findings';
import type { NearMiss, StoryChange, StoryWait } from './near-miss.ts';

/** The missing synchronization, told by the one that comes nearest. */
export function nearMissText(miss: NearMiss, kind: MissingIngredient['kind']): MissingIngredient {
  const by = (miss.wait ?? miss.change)?.by;
  return Object.freeze({
    kind,
    message: messageOf(miss),
    today: todayOf(miss),
    ...(by?.place === undefined ? {} : { at: by }),
  });
}

function todayOf({ why }: NearMiss): string {
  switch (why) {
    case 'initial':
    case 'stale':
    case 'low':
      return 'a wait stands between the two, but ends before the first of them is over';
    case 'before':
      return 'the two sides synchronize, but before the first access';
    case 'after':
      return 'the two sides synchronize, but after the second access';
    case 'unawaited':
      return 'the first side tells the second that it is done, but the second does not wait for that';
    case 'other':
      return 'the second side waits, but not for the first';
  }
}

function messageOf({ why, first, second, wait, change }: NearMiss): string {
  const one = whoText(first.label, second.label);
  const two = waiterText(second.label, first.label);
  const [does, needs] = [actionText(first.label), actionText(second.label)];
  if (wait === undefined)
    return `${one} tells ${two}${inText(change)}, but ${two} does not wait for that before the ${needs}: wait for ${valueText(change)}`;
  const here = `the ${waitNoun(wait)} of ${two}${atText(wait.by)}`;
  const word = wordText([wait.place]);
  switch (why) {
    case 'initial':
      return `${here} ends at once: ${word} still has its first value, ${valueText(wait)}. Only after the ${does} does ${one} make it ${valueText(change)}${atText(change?.by)}: wait for a value that it does not have at the beginning`;
    case 'stale':
      return `${here} ends at once: ${word} is ${valueText(wait)} since ${wait.read?.by.purpose ?? 'an earlier launch'}, by ${changeText(wait.read)}. Only after the ${does} does ${one} make it ${valueText(change)}${atText(change?.by)}: wait for a value that grows with every launch`;
    case 'low':
      return `${here} ends when ${word} is ${valueText(wait)}, for which ${changeText(wait.read)} is enough. Only after the ${does} does ${one} make it ${valueText(change)}${atText(change?.by)}: wait for that value`;
    case 'after':
      return `${here} comes after the ${needs} that needs it: move it before the ${needs}`;
    case 'before':
      return isBarrier(wait)
        ? `the barrier${atText(wait.by)} stands before the ${does} of ${one}, and no other one follows: put one between the ${does} of ${one} and the ${needs} of ${two}`
        : `${here} is for ${changeText(wait.read)}, which stands before the ${does} of ${one}: ${one} must tell it after the ${does}`;
    case 'unawaited':
    case 'other': {
      const told =
        change === undefined
          ? `${one} tells nobody that its ${does} is done`
          : `${one} tells it${inText(change)}, for which ${two} does not wait`;
      return `${here} is for ${changeText(wait.read)}, and not for ${one}: ${told}. Let ${one} tell ${two} after the ${does}, and ${two} wait for that before the ${needs}`;
    }
  }
}

function inText(change: StoryChange | undefined): string {
  return change === undefined ? '' : ` by ${wordText([change.place])}${atText(change.by)}`;
}

function valueText(at: Pick<StoryChange, 'value'> | undefined): string {
  return at?.value === undefined ? 'another value' : String(at.value);
}

/** Names a side, by what distinguishes it from the other. */
export function whoText(label: FindingLabel, other: FindingLabel): string {
  return label.agent === 'network' ? `the ${operationOf(label)} of rank ${label.rank}` : waiterText(label, other);
}

/** Names the threads of a side. For an operation of the network, they are those that posted it. */
function waiterText(label: FindingLabel, other: FindingLabel): string {
  if (label.agent === 'host') return `the host of rank ${label.rank}`;
  if (label.rank !== other.rank || label.launch !== other.launch) return `rank ${label.rank}`;
  const [x, y] = [label.blockIdx?.x, other.blockIdx?.x];
  if (x !== y && x !== undefined) return `CTA ${x}`;
  return label.thread === other.thread ? `rank ${label.rank}` : `thread ${label.thread ?? 0}`;
}

/** The operation of the network: `put`, `get`, `signal`. */
function operationOf({ does }: FindingLabel): string {
  return does.split(' ', 1)[0] ?? does;
}

function actionText(label: FindingLabel): string {
  return label.agent === 'network' ? operationOf(label) : label.does;
}

function changeText(change: StoryChange | undefined): string {
  if (change === undefined) return 'its first value';
  const { by } = change;
  if (by.agent === 'host') return `the host of rank ${by.rank}`;
  return `the ${actionText(by)} of rank ${by.rank}${atText(by)}`;
}

function atText(label: FindingLabel | undefined): string {
  return label?.place === undefined ? '' : ` at ${shownPosition(label.place)}`;
}

function waitNoun(wait: StoryWait): string {
  if (isBarrier(wait)) return 'barrier';
  return wait.by.polls === true || wait.by.place?.inlinedAt !== undefined ? 'wait' : 'load';
}

/** True if the wait is in a barrier, as its author wrote it. */
function isBarrier({ by: { place: location }, place }: StoryWait): boolean {
  if (place.kind === 'lsaInbox') return true;
  if (location?.inlinedAt === undefined) return false;
  const { text, start, end } = outermost(location).quote;
  return /\bsync\w*\s*\(|barrier/i.test(text.slice(start, end));
}

function outermost(location: QuotedLocation): QuotedLocation {
  return location.isOwn === true || location.inlinedAt === undefined ? location : outermost(location.inlinedAt);
}
