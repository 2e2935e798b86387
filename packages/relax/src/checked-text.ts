import { check } from '@nccl-ts/checker';
import { at, isNcclError } from '@nccl-ts/core';
import { findingKey, type CheckReport, type Finding } from '@nccl-ts/findings';
import { harnessProgram, translate } from '@nccl-ts/harness';
import type { RelaxInput } from './inputs.ts';

/** The outcome of a check of a text in one input. */
export type CheckedText =
  /** The check found no error. `isProven`: in no schedule of any machine. */
  | {
      readonly kind: 'clean';
      readonly isProven: boolean;
      readonly report: CheckReport;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'wrong'; readonly finding: Finding; readonly warnings: readonly string[] }
  /** There is no verdict. */
  | { readonly kind: 'none'; readonly why: string };

export interface CheckedTextOptions {
  /** The name of the text, for messages. */
  readonly name: string;
  readonly source: ((path: string) => string | undefined) | undefined;
  /** The seconds after which a check of one text ends. */
  readonly seconds: number;
  /** The number of CTAs that a GPU can run at once. @default that of the simulator */
  readonly residentCtas?: number | undefined;
}

/** Checks a text in an input. Errors of the setup and of the translation are outcomes too. */
export async function tried(
  text: string,
  { harness, ranks }: RelaxInput,
  options: CheckedTextOptions,
): Promise<CheckedText> {
  const { name, source, seconds, residentCtas } = options;
  try {
    const translated = translate(harness, text, { name, ranks, ...(source === undefined ? {} : { source }) });
    const given = {
      ranks,
      local: harness.local,
      time: seconds,
      ...(residentCtas === undefined ? {} : { residentCtas }),
    };
    const report = await check(given, harnessProgram(harness, translated));
    return checkedAs(report, translated.warnings);
  } catch (error) {
    return noVerdict(error);
  }
}

/**
 * True if a check tolerates something that another one did not: findings of severity `model`, about
 * orders that the memory model does not promise, or `note`, about races that equal values hide. One
 * that was seen more often counts too, because one finding may hide another.
 */
export function toleratesMore(report: CheckReport, than: CheckReport, as: 'model' | 'note'): boolean {
  const known = tolerated(than, as);
  return [...tolerated(report, as)].some(([key, count]) => count > (known.get(key) ?? -1));
}

function tolerated({ findings, seen }: CheckReport, as: 'model' | 'note'): ReadonlyMap<string, number> {
  return new Map(
    findings.flatMap((finding, i) => (finding.severity === as ? [[findingKey(finding), at(seen, i)] as const] : [])),
  );
}

/** The outcome of a check. Without an error, one that ended at its time is no proof. */
export function checkedAs(report: CheckReport, warnings: readonly string[]): CheckedText {
  const error = report.findings.find(({ severity }) => severity === 'error');
  if (error !== undefined) return { kind: 'wrong', finding: error, warnings };
  const isProven =
    report.verdict === 'clean' && report.proves.kind === 'all schedules' && report.approximations.length === 0;
  return { kind: 'clean', isProven, report, warnings };
}

/** The outcome of an error that says why there is no verdict. */
export function noVerdict(error: unknown): CheckedText {
  if (!isNcclError(error)) throw error;
  return { kind: 'none', why: error.message.split('\n', 1)[0] ?? error.code };
}
