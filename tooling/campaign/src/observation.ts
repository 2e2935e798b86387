import { check, explore } from '@nccl-ts/checker';
import { isNcclError, NcclError } from '@nccl-ts/core';
import {
  reportToJson,
  severityRank,
  type CheckReport,
  type Finding,
  type FindingKind,
  type FindingLabel,
  type Severity,
  type QuotedLocation,
} from '@nccl-ts/findings';
import type { Engine, Role } from './engines.ts';
import type { RunProgram } from './load-program.ts';
import type { CampaignProgram } from './program.ts';

/** The result of one engine for a program. */
export interface Observation {
  readonly engine: string;
  readonly role: Role;
  readonly verdict: CheckReport['verdict'] | undefined;
  /** The kinds of findings that are errors. */
  readonly errors: ReadonlySet<FindingKind>;
  /** The author's lines of each race that is an error, in pairs. */
  readonly races: ReadonlySet<string>;
  /** The worst severity of each race, of every severity. */
  readonly severities: ReadonlyMap<string, Severity>;
  /**
   * True if a finding names accesses through two proxies without a fence between them. GPUs may
   * keep them in order, so that the finding is not an error. But the memory model allows more
   * values.
   */
  readonly mixesProxies: boolean;
  /** True if the report is about all schedules. */
  readonly claimsAll: boolean;
  /** The values that the hosts have read in each completed run. */
  readonly outcomes: ReadonlySet<string>;
  /** The code and the first line of its error. */
  readonly thrown: string | undefined;
  /** The whole report, for comparing two runs. */
  readonly report: string;
}

/** Runs an engine on a program. Never rejects. */
export async function observe(
  engine: Engine,
  program: Pick<CampaignProgram, 'ranks' | 'lsaSize'>,
  run: RunProgram,
): Promise<Observation> {
  const outcomes = new Set<string>();
  const { ranks, lsaSize } = program;
  const { bound, ...options } = engine.options;
  const once: Parameters<typeof explore>[1] = async (backend) => {
    outcomes.add(await run(backend));
  };
  const { name, role } = engine;
  const reported = { engine: name, role, outcomes };
  try {
    // In some of the programs no rank reaches another.
    const machine = { ranks, lsaSize, local: true };
    if (role !== 'graph')
      return { ...reported, ...observationOf(await check({ ...engine.options, ...machine }, once)) };
    const { fuel, time } = options;
    const limits = fuel === undefined ? {} : { fuel };
    const { report } = await explore({ ...machine, ...limits, mode: 'check' }, once, {
      runs: bound ?? 1,
      ...(time === undefined ? {} : { milliseconds: time * 1000 }),
    });
    if (report === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'explore in check mode returned no report.');
    return { ...reported, ...observationOf(report) };
  } catch (error) {
    return { ...reported, ...nothing, thrown: thrownText(error) };
  }
}

const nothing = {
  verdict: undefined,
  errors: new Set<FindingKind>(),
  races: new Set<string>(),
  severities: new Map<string, Severity>(),
  mixesProxies: false,
  claimsAll: false,
  report: '',
};

/** Races of every severity count, because the engines must agree on the memory model's verdict. */
function observationOf(report: CheckReport): Omit<Observation, 'engine' | 'role' | 'outcomes'> {
  const errors = report.findings.filter(({ severity, kind }) => severity === 'error' || kind === 'race');
  const isMild = report.verdict === 'clean' || report.verdict === 'incomplete';
  return {
    verdict: isMild && errors.some(({ kind }) => kind === 'race') ? 'race' : report.verdict,
    errors: new Set(errors.map(({ kind }) => kind)),
    races: new Set(errors.filter(({ kind }) => kind === 'race').map(pairOf)),
    severities: severitiesOf(report),
    mixesProxies: report.findings.some(({ kind }) => kind === 'proxy'),
    claimsAll: report.proves.kind === 'all schedules',
    thrown: undefined,
    report: JSON.stringify(reportToJson(report)),
  };
}

function severitiesOf({ findings }: CheckReport): ReadonlyMap<string, Severity> {
  const worst = new Map<string, Severity>();
  for (const finding of findings) {
    if (finding.kind !== 'race') continue;
    const pair = pairOf(finding);
    const known = worst.get(pair);
    if (known === undefined || isWorse(finding.severity, known)) worst.set(pair, finding.severity);
  }
  return worst;
}

/** True if the first is a worse severity: errors before `model`, and `model` before notes. */
export function isWorse(one: Severity, other: Severity | undefined): boolean {
  return other === undefined || severityRank[one] < severityRank[other];
}

/** The two sides of a race as lines of the author's text, in any order. */
function pairOf({ labels }: Finding): string {
  return labels.slice(0, 2).map(sideOf).toSorted().join(' ~ ');
}

function sideOf({ agent, kernel, place: location }: FindingLabel): string {
  if (location === undefined) return agent;
  const { line, text } = outermost(location);
  return `${kernel ?? 'kernel'}:${line} ${text.trim()}`;
}

function outermost(location: QuotedLocation): QuotedLocation {
  return location.inlinedAt === undefined ? location : outermost(location.inlinedAt);
}

function thrownText(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  if (isNcclError(error)) return `${error.code}: ${first}`;
  return `${error instanceof Error ? error.name : 'thrown'}: ${first}`;
}
