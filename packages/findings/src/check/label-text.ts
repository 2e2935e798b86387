import { blockIdxText } from '@nccl-ts/transport';
import type { Dim3 } from '@nccl-ts/transport';
import { counted } from '../ranges.ts';
import type { LabelSpread } from './finding-spread.ts';
import { findingKinds, type FindingKind } from './finding-kinds.ts';
import type { Finding } from './finding.ts';
import type { FindingLabel } from '../finding-label.ts';

/** The most CTAs that are named one by one, if they are not in one row. */
const MOST_CTAS = 4;

/** The action and identity of a participant: `plain store by ranks 0-3, CTA 0, threads 0-31`. */
export function labelText(finding: Finding, label: FindingLabel, spread?: LabelSpread): string {
  if (label.agent === 'host') return `${label.does} (${counted('rank', (spread ?? only(label)).ranks)})`;
  return `${doingText(finding.kind, label)} by ${whoText(finding, label, spread ?? only(label))}`;
}

function doingText(kind: FindingKind, { agent, does, access }: FindingLabel): string {
  if (access !== undefined) return `${does} (${access.order}, ${access.scope} scope)`;
  return agent === 'thread' && findingKinds[kind].isAboutMemory && /^(load|store)\b(?! of a bulk copy)/.test(does)
    ? `plain ${does}`
    : does;
}

function whoText({ labels }: Finding, label: FindingLabel, { ranks, ctas, threads }: LabelSpread): string {
  const parts = [counted('rank', ranks)];
  if (ctas.length > 0) parts.push(ctasText(ctas));
  if (threads.length > 0) parts.push(counted('thread', threads));
  if (!isOneKernel(labels)) parts.push(`kernel ${label.kernel ?? 'unknown'}`);
  if (label.purpose !== undefined && hasPurposes(labels)) parts.push(label.purpose);
  else if (label.launch !== undefined && hasLaunches(labels, label)) parts.push(`launch ${label.launch}`);
  return label.agent === 'network' ? `the network for ${parts.join(', ')}` : parts.join(', ');
}

/** True if all participants inside kernels were in the same kernel. */
export function isOneKernel(labels: readonly FindingLabel[]): boolean {
  const kernels = labels.flatMap(({ agent, kernel }) => (agent === 'host' ? [] : [kernel]));
  return new Set(kernels).size < 2;
}

/**
 * True if a rank took part with several launches. Launches of different ranks are numbered
 * separately.
 */
function hasLaunches(labels: readonly FindingLabel[], { rank, launch }: FindingLabel): boolean {
  return labels.some((other) => other.agent !== 'host' && other.rank === rank && other.launch !== launch);
}

/**
 * True if the participants' launches have different purposes, or a host takes part, which acts
 * before or after a launch.
 */
function hasPurposes(labels: readonly FindingLabel[]): boolean {
  return new Set(labels.map(({ agent, purpose }) => (agent === 'host' ? agent : purpose))).size > 1;
}

function ctasText(ctas: readonly Dim3[]): string {
  if (ctas.every(({ y, z }) => y === 0 && z === 0)) {
    return counted(
      'CTA',
      ctas.map(({ x }) => x),
    );
  }
  const named = ctas.slice(0, MOST_CTAS).map(blockIdxText).join(', ');
  const more = ctas.length > MOST_CTAS ? ` and ${ctas.length - MOST_CTAS} more` : '';
  return `CTA${ctas.length === 1 ? '' : 's'} ${named}${more}`;
}

function only({ rank, blockIdx, thread }: FindingLabel): LabelSpread {
  return {
    ranks: [rank],
    ctas: blockIdx === undefined ? [] : [blockIdx],
    threads: thread === undefined ? [] : [thread],
  };
}
