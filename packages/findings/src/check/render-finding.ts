import { excerpt } from '../kernel-text.ts';
import { counted } from '../ranges.ts';
import { renderDeadlock } from '../render-deadlock.ts';
import { renderFault } from '../render-fault.ts';
import { bytesText } from './bytes-text.ts';
import { placeKey } from './finding-key.ts';
import type { FindingSpread, LabelSpread } from './finding-spread.ts';
import type { Finding, FindingLabel, MissingIngredient, ScheduleId } from './finding.ts';
import { severityWord, todayText } from './finding-words.ts';
import { isOneKernel, labelText } from './label-text.ts';

/** How often and where a finding was seen, from the report that has it. */
export interface Sightings {
  readonly seen: number;
  readonly spread: FindingSpread;
}

/**
 * A finding as text: what is wrong; the lines of those that took part, each with who did what there; the bytes; what orders
 * the two as the kernel is; what would; and how to see it again. Ranks, CTAs and threads are all those of `sightings`, where
 * that is given, else those of the finding.
 */
export function renderFinding(finding: Finding, sightings?: Sightings): string {
  const lines = [`${severityWord[finding.severity]}[${finding.kind}]: ${finding.message}`];
  const kernel = kernelOf(finding);
  if (kernel !== undefined) lines.push(`  in kernel ${kernel}`);
  if (finding.sequence !== undefined) lines.push(`  in the sequence ${finding.sequence}`);
  lines.push(
    ...finding.labels.map((label, i) => labelLines(finding, label, sightings?.spread.labels[i])),
    ...detailLines(finding),
  );
  lines.push(...launchLines(finding));
  if (finding.bytes !== undefined) lines.push(`  bytes: ${bytesText(finding.bytes)}`);
  const [nearest] = finding.missing;
  if (nearest !== undefined && finding.labels.length > 1) lines.push(`  today: ${todayText[nearest.kind]}`);
  lines.push(...finding.missing.flatMap((missing) => helpLines(finding, missing)));
  if (finding.severity === 'model') {
    lines.push(
      '  note: wrong by the memory model, and known to do no harm on hardware of today; strict makes it an error',
    );
  }
  lines.push(`  seen: ${seenText(finding, sightings)}`, `  replay: ${replayText(finding.schedule)}`);
  return lines.join('\n');
}

/** The kernel, where there is one for all that took part; else every label says its own. */
function kernelOf({ labels }: Finding): string | undefined {
  return isOneKernel(labels) ? labels.find(({ agent }) => agent !== 'host')?.kernel : undefined;
}

function labelLines(finding: Finding, label: FindingLabel, spread: LabelSpread | undefined): string {
  const text = labelText(finding, label, spread);
  return label.place === undefined ? `  --> ${text}` : excerpt(label.place, text);
}

/** Where a launch of one rank races with another launch of a peer: nothing holds a rank back but what kernels do themselves. */
function launchLines({ kind, labels }: Finding): readonly string[] {
  const [later, earlier] = labels;
  if (kind !== 'race' || later?.purpose === undefined || earlier?.purpose === undefined) return [];
  if (later.purpose === earlier.purpose || later.rank === earlier.rank) return [];
  return [
    `  launches: ${later.purpose} on rank ${later.rank} races with ${earlier.purpose} on rank ${earlier.rank}: a stream orders the ` +
      'launches of its own rank alone, and a peer may be behind',
  ];
}

/** What deadlocks and faults say themselves, as far as the labels do not. */
function detailLines({ deadlock, fault, labels }: Finding): readonly string[] {
  const lines: string[] = [];
  if (deadlock !== undefined) lines.push(indented(renderDeadlock(deadlock)));
  if (fault === undefined) return lines;
  const lands = fault.access?.lands;
  if (labels.length === 0) lines.push(indented(renderFault(fault)));
  else if (lands !== undefined) lines.push(`  outside of it lies ${lands}`);
  return lines;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

function helpLines(finding: Finding, { message, at }: MissingIngredient): readonly string[] {
  const head = `  help: ${message}`;
  if (at === undefined) return [head];
  if (at.place === undefined) return [head, `  --> ${labelText(finding, at)}`];
  const shown = finding.labels.some(({ place }) => placeKey(place) === placeKey(at.place));
  return [head, excerpt(at.place, shown ? undefined : labelText(finding, at))];
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
  // What goes through all schedules needs no seed.
  const seeded = strategy === 'exhaustive' ? `strategy ${strategy}` : `strategy ${strategy}, seed ${seed}`;
  return choices === undefined ? seeded : `${seeded}, or choices ${choices}`;
}
