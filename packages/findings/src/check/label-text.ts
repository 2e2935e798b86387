import { blockIdxText } from '@nccl-ts/transport';
import type { Dim3 } from '@nccl-ts/transport';
import { counted } from '../ranges.ts';
import type { LabelSpread } from './finding-spread.ts';
import type { Finding, FindingKind, FindingLabel } from './finding.ts';

/** CTAs that are named one by one, where they are not in one row. */
const MOST_CTAS = 4;

/** Of findings about memory: there an access that says nothing of order is a plain one. */
const isAboutMemory: Readonly<Record<FindingKind, boolean>> = {
  race: true,
  proxy: true,
  uninitialised: true,
  'out-of-bounds': false,
  misuse: false,
  fault: false,
  deadlock: false,
  leftover: false,
  incomplete: false,
};

/** What one who took part did, and who it was: `plain store by ranks 0-3, CTA 0, threads 0-31`. */
export function labelText(finding: Finding, label: FindingLabel, spread?: LabelSpread): string {
  return `${doingText(finding.kind, label)} by ${whoText(finding, label, spread ?? only(label))}`;
}

function doingText(kind: FindingKind, { agent, does, access }: FindingLabel): string {
  if (access !== undefined) return `${does} (${access.order}, ${access.scope} scope)`;
  return agent === 'thread' && isAboutMemory[kind] && /^(load|store)\b/.test(does) ? `plain ${does}` : does;
}

function whoText({ labels }: Finding, label: FindingLabel, { ranks, ctas, threads }: LabelSpread): string {
  if (label.agent === 'host') return `the host of ${counted('rank', ranks)}`;
  const parts = [counted('rank', ranks)];
  if (ctas.length > 0) parts.push(ctasText(ctas));
  if (threads.length > 0) parts.push(counted('thread', threads));
  // Said of each only where it tells them apart.
  const { kernel, launch } = label;
  const others = labels.filter((other) => other.agent !== 'host');
  if (others.some((other) => other.kernel !== kernel || other.launch !== launch)) {
    parts.push(`kernel ${kernel ?? 'unknown'}${launch === undefined ? '' : ` (launch ${launch})`}`);
  }
  return label.agent === 'network' ? `the network for ${parts.join(', ')}` : parts.join(', ');
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
