import type { RenderOptions } from '@nccl-ts/ir';
import { at } from '@nccl-ts/core';
import { byCause, faultsFirst } from './cause-of.ts';
import type { RanksOutcome } from './ranks-outcome.ts';
import { approximationText, type Approximation } from './approximation.ts';
import type { CheckReport } from './check-report.ts';
import type { Proof, ProofPart } from './proof.ts';
import type { Severity } from './finding.ts';
import { severityWord } from './finding-words.ts';
import { renderFinding, type Sightings } from './render-finding.ts';
import { ranksText, scopeText } from './scope-text.ts';

/** The most findings that are printed in full. The rest are counted. */
const MOST_FINDINGS = 20;

/** The most approximations that a verdict names. The rest are counted. */
const MOST_APPROXIMATIONS = 8;

/**
 * Renders the report as text: every finding, the worst first, and then the verdict and its claim.
 */
export function renderReport(report: CheckReport, options: RenderOptions = {}): string {
  const { findings, seen, spread } = report;
  const groups = faultsFirst(byCause(findings), findings);
  const parts = groups.slice(0, MOST_FINDINGS).map(({ first, others }) => {
    const where = spread[first];
    const sightings: Sightings | undefined =
      where === undefined ? undefined : { seen: seen[first] ?? 1, spread: where };
    return renderFinding(
      at(findings, first),
      sightings,
      options,
      others.map((i) => at(findings, i)),
    );
  });
  const more = groups.length - MOST_FINDINGS;
  if (more > 0) parts.push(`${more} more finding${more === 1 ? '' : 's'}`);
  if (report.byRanks !== undefined) parts.push(byRanksText(report.byRanks));
  return [...parts, renderVerdict(report)].join('\n\n');
}

/** One line for each number of ranks. */
function byRanksText(byRanks: readonly RanksOutcome[]): string {
  const lines = byRanks.map((one) => {
    const ranks = ranksText([one.ranks]);
    if ('why' in one) return `  ${ranks}: not checked, because ${one.why}`;
    return `  ${ranks}: ${one.verdict}; ${renderProof(one.proves, one.verdict === 'clean')}`;
  });
  return lines.join('\n');
}

/** Returns one line with the verdict, the counts and the claim. */
export function renderVerdict({ verdict, proves, findings, accesses, scope, approximations }: CheckReport): string {
  const counts = severities.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    const causes = byCause(findings.filter((finding) => finding.severity === severity)).length;
    const of = causes === count ? '' : ` of ${causes === 1 ? 'one cause' : `${grouped(causes)} causes`}`;
    return count === 0 ? [] : [`${grouped(count)} ${severityWord[severity]}${count === 1 ? '' : 's'}${of}`];
  });
  const found = counts.length === 0 ? 'no findings' : counts.join(', ');
  const launches = scopeText(scope);
  const on = launches === undefined ? '' : ` on ${launches}`;
  const checked = `${grouped(accesses)} access${accesses === 1 ? '' : 'es'} checked${on}`;
  const claim = renderProof(proves, verdict === 'clean');
  return `${verdict}: ${found}, ${checked}; ${claim}${approximationsText(approximations)}`;
}

/** `; 2 approximations: %smid as the block's index (a.cu:12:3), …`. */
function approximationsText(approximations: readonly Approximation[]): string {
  const count = approximations.length;
  if (count === 0) return '';
  const shown = approximations.slice(0, MOST_APPROXIMATIONS).map(approximationText);
  const more = count > shown.length ? [`and ${count - shown.length} more`] : [];
  return `; ${count} approximation${count === 1 ? '' : 's'}: ${[...shown, ...more].join(', ')}`;
}

const severities: readonly Severity[] = ['error', 'model', 'note'];

/**
 * Describes the schedules that were run, and the claim. `clean` means that they have no findings.
 */
export function renderProof(proof: Proof, clean: boolean): string {
  switch (proof.kind) {
    case 'this schedule':
      return `one schedule was run (strategy ${proof.strategy}, seed ${proof.seed})${clean ? ', others may differ' : ''}`;
    case 'schedules':
      return (
        `${grouped(proof.count)} schedules were run (strategy ${proof.strategy}, seeds from ${proof.seed} on)` +
        (clean ? ', others may differ' : '')
      );
    case 'portfolio':
      return `${portfolioText(proof.parts)} (seed ${proof.seed})${clean ? ', others may differ' : ''}`;
    case 'all schedules':
      return (
        (clean
          ? `this holds for every schedule of this input (${runText(proof.count)}, and the others are equivalent to ${proof.count === 1 ? 'it' : 'one of them'})`
          : `every schedule of this input was checked (${runText(proof.count)})`) +
        (proof.patient === true ? ' and in these, a wait times out only if no thread can continue' : '')
      );
    case 'modelled schedules':
      return (
        `every schedule that is modelled was checked (${runText(proof.count)}), and machines may have others` +
        (proof.patient === true ? '; in these, a wait times out only if no thread can continue' : '')
      );
    case 'nothing':
      return `the check is not complete: ${proof.bound}`;
  }
}

/** `12 schedules of 3 strategies were run`. */
function portfolioText(parts: readonly ProofPart[]): string {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const schedules = count === 1 ? 'schedule' : 'schedules';
  const strategies = parts.length === 1 ? 'strategy' : 'strategies';
  return `${grouped(count)} ${schedules} of ${parts.length} ${strategies} ${count === 1 ? 'was' : 'were'} run`;
}

function runText(count: number): string {
  return `${grouped(count)} ${count === 1 ? 'was' : 'were'} run`;
}

/** `1,234,567`. */
function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
