import { renderShown, type RenderOptions, type ShownNote, type ShownSection } from '@nccl-ts/ir';
import { counted } from '../ranges.ts';
import { deadlockParts } from '../render-deadlock.ts';
import { faultSection, landsNotes } from '../render-fault.ts';
import { shownLabels, shownPosition, callPathNotes } from '../shown-span.ts';
import { bytesText } from './bytes-text.ts';
import { locationKey } from './finding-key.ts';
import type { FindingSpread } from './finding-spread.ts';
import type { Finding, MissingIngredient, ScheduleId } from './finding.ts';
import type { FindingLabel } from '../finding-label.ts';
import { missingHelp, severityWord } from './finding-words.ts';
import { isUnknownOnGpus } from './is-unknown-on-gpus.ts';
import { isOneKernel, labelText } from './label-text.ts';

/** The extent of a finding's sightings, from its report. */
export interface Sightings {
  readonly seen: number;
  readonly spread: FindingSpread;
}

/**
 * Renders a finding as text, in the form of the compiler's diagnostics. It has the headline, the
 * participants' lines with their actions, the bytes, the current order, the missing
 * synchronization, and the schedule. Ranks, CTAs and threads are those of `sightings`, if given,
 * and otherwise those of the finding. `others` have the same cause, and are only named.
 */
export function renderFinding(
  finding: Finding,
  sightings?: Sightings,
  options: RenderOptions = {},
  others: readonly Finding[] = [],
): string {
  const { kind: code, message, severity } = finding;
  const last = [
    ...alsoNotes(others),
    ...timeLimitNotes(finding),
    { word: 'seen', text: seenText(finding, sightings) },
    { word: 'replay', text: replayText(finding.schedule) },
  ];
  const sections = findingSections(finding, sightings, last);
  return renderShown({ severity: severityWord[severity], code, message, sections }, options);
}

/** In a hasty run time limits of waits expire although other threads can go on. */
function timeLimitNotes({ schedule }: Finding): readonly ShownNote[] {
  if (schedule.strategy !== 'hasty') return [];
  return [{ word: 'note', text: 'a time limit of a wait has expired in this run: this is what the kernel does then' }];
}

/** The most other findings of one cause that are named. */
const MOST_OTHERS = 6;

/** Names the findings that the same change mends. */
function alsoNotes(others: readonly Finding[]): readonly ShownNote[] {
  const texts = others.slice(0, MOST_OTHERS).map(({ labels }) => labels.map(placedText).join(' and '));
  const more = others.length - texts.length;
  if (more > 0) texts.push(`${more} more`);
  return texts.map((text) => ({ word: 'also', text }));
}

/** `a load at 22:72`. */
function placedText({ does, place }: FindingLabel): string {
  const at = place === undefined ? '' : ` at ${shownPosition(place)}`;
  return `${/^[aeiou]/.test(does) ? 'an' : 'a'} ${does}${at}`;
}

function findingSections(
  finding: Finding,
  sightings: Sightings | undefined,
  last: readonly ShownNote[],
): readonly ShownSection[] {
  const { deadlock, fault, labels } = finding;
  if (deadlock !== undefined) {
    const { groups, notes } = deadlockParts(deadlock);
    return [...groups, { labels: [], notes: [...notes, ...whereNotes(finding), ...last] }];
  }
  const own = findingSection(finding, sightings, last);
  if (fault === undefined || labels.length > 0) return [own];
  // Only the fault identifies the thread.
  const { labels: places, notes } = faultSection(fault);
  return [{ labels: places, notes: [...notes, ...own.notes] }];
}

function findingSection(finding: Finding, sightings: Sightings | undefined, last: readonly ShownNote[]): ShownSection {
  const { labels, missing, bytes, fault, severity } = finding;
  const texts = labels.map((label, i) => ({ label, text: labelText(finding, label, sightings?.spread.labels[i]) }));
  const helpers = missing.flatMap(({ at }) => (at === undefined || isShown(finding, at) ? [] : [at]));
  const [nearest] = missing;
  const notes: ShownNote[] = [
    ...texts.filter(({ label }) => label.place === undefined).map(({ text }) => ({ word: 'note', text })),
    ...whereNotes(finding),
    ...callPathNotes([...labels, ...helpers].map(({ place: location }) => location)),
    ...(labels.length === 0 ? [] : landsNotes(fault?.access)),
    ...launchNotes(finding),
    ...(bytes === undefined ? [] : [{ word: 'bytes', text: bytesText(bytes) }]),
    ...(nearest === undefined || labels.length < 2
      ? []
      : [{ word: 'today', text: nearest.today ?? missingHelp[nearest.kind].today }]),
    ...missing.map((one) => ({ word: 'help', text: helpText(finding, one) })),
    ...(severity === 'model' ? [{ word: 'note', text: isUnknownOnGpus(finding) ? UNKNOWN : MODEL }] : []),
    ...last,
  ];
  return {
    labels: [
      ...texts.flatMap(({ label, text }) => shownLabels(label.place, text)),
      ...helpers.flatMap((at) => shownLabels(at.place, labelText(finding, at))),
    ],
    notes,
  };
}

const UNKNOWN = 'violates the memory model, and whether GPUs tolerate it is not known; strict makes it an error';
const MODEL = "violates the memory model, but today's GPUs tolerate it; strict makes it an error";

/** True if the line of a missing ingredient is a participant's line. */
function isShown({ labels }: Finding, at: FindingLabel): boolean {
  return labels.some(({ place: location }) => locationKey(location) === locationKey(at.place));
}

/** The kernel, and the sequence of launches. */
function whereNotes(finding: Finding): readonly ShownNote[] {
  const kernel = kernelOf(finding);
  return [
    ...(kernel === undefined ? [] : [{ word: 'kernel', text: kernel }]),
    ...(finding.sequence === undefined ? [] : [{ word: 'sequence', text: finding.sequence }]),
  ];
}

/**
 * Returns the kernel if all participants have the same one. Otherwise every label names its own.
 */
function kernelOf({ labels }: Finding): string | undefined {
  return isOneKernel(labels) ? labels.find(({ agent }) => agent !== 'host')?.kernel : undefined;
}

/**
 * Explains a race between a launch of one rank and another launch of a peer: only the kernels
 * themselves can make a rank wait.
 */
function launchNotes({ kind, labels }: Finding): readonly ShownNote[] {
  const [later, earlier] = labels;
  if (kind !== 'race' || later?.purpose === undefined || earlier?.purpose === undefined) return [];
  if (later.purpose === earlier.purpose || later.rank === earlier.rank) return [];
  const text =
    `${later.purpose} on rank ${later.rank} races with ${earlier.purpose} on rank ${earlier.rank}: a stream orders the ` +
    'launches of its own rank only, and a peer may be behind';
  return [{ word: 'launches', text }];
}

/** Returns the synchronization that would order the two, and the lines that must change. */
function helpText(finding: Finding, { message, at }: MissingIngredient): string {
  if (at === undefined || (at.place !== undefined && message.includes(` ${shownPosition(at.place)}`))) return message;
  return at.place === undefined
    ? `${message} (${labelText(finding, at)})`
    : `${message} (at ${shownPosition(at.place)})`;
}

function seenText({ certainty, bytes }: Finding, sightings: Sightings | undefined): string {
  const parts: string[] = [];
  if (sightings !== undefined) {
    parts.push(sightings.seen === 1 ? 'once' : `${sightings.seen} times`);
    const { bytes: all } = sightings.spread;
    const wider = all !== undefined && (all.ranks.length > 1 || all.end - all.first > (bytes?.bytes ?? 0));
    if (wider) parts.push(`within bytes ${all.first}-${all.end - 1} of ${counted('rank', all.ranks)}`);
  }
  parts.push(
    certainty === 'every schedule' ? 'every schedule of this input shows it' : 'another schedule need not show it',
  );
  return parts.join(', ');
}

function replayText({ strategy, seed, choices }: ScheduleId): string {
  // Exploring all schedules needs no seed.
  const seeded = strategy === 'exhaustive' ? `strategy ${strategy}` : `strategy ${strategy}, seed ${seed}`;
  return choices === undefined ? seeded : `${seeded}, or choices ${choices}`;
}
