import type { CheckReport } from '../check/check-report.ts';
import type { Finding } from '../check/finding.ts';
import { barrierFixes, type ProgramText } from './barrier-fixes.ts';
import { applyFix, type Fix } from './fix.ts';
import { wordFixes } from './word-fixes.ts';

/** A program whose findings are to be fixed. */
export interface FixTrial {
  /** The path of the author's file, as the findings have it. */
  readonly file: string;
  /** The author's text, which was checked. */
  readonly text: string;
  /** Replaces types by blanks, without moving another character. @default the text has no types */
  readonly blank?: (text: string) => string;
  /** Checks a changed text, as the check did that made the findings. */
  readonly check: (text: string) => Promise<CheckReport>;
  /** Called before each check. If it returns true, no more checks follow. */
  readonly isOver?: () => boolean;
}

/** The number of changes that are tried for one finding. */
const MOST = 10;

/**
 * Returns the possible fixes of a finding, the most likely first: words that are too weak, and, for
 * a race, barriers between its accesses. With `program`, barriers are included. They are proposals:
 * `provenFixes` finds out by a check which of them fixes the program.
 *
 * @see provenFixes
 */
export function fixesOf(finding: Finding, program?: ProgramText): readonly Fix[] {
  return [...wordFixes(finding), ...(program === undefined ? [] : barrierFixes(finding, program))];
}

/**
 * Returns, for each finding, changes after which the check of the program is clean; empty if none
 * was found. Apply them in order: the positions of the second are those after the first. A change
 * after which the check is not clean is not returned. A finding without a fix of its own gets that
 * of another one.
 *
 * Nothing is guaranteed about results: a barrier may order two accesses, and the program may still
 * compute something else than you want.
 */
export async function provenFixes(
  findings: readonly Finding[],
  { file, text, blank = (given) => given, check, isOver = () => false }: FixTrial,
): Promise<readonly (readonly Fix[])[]> {
  // Findings of one cause have the same fix.
  const known = new Map<string, CheckReport | undefined>();
  const checked = async (changed: string): Promise<CheckReport | undefined> => {
    if (known.has(changed)) return known.get(changed);
    if (isOver()) return undefined;
    let report: CheckReport | undefined;
    try {
      report = await check(changed);
    } catch {
      // The changed program does not run, so the change is no fix.
    }
    known.set(changed, report);
    return report;
  };
  const proposals = (finding: Finding, given: string): readonly Fix[] => {
    const unlike = new Map<string, Fix>();
    for (const fix of fixesOf(finding, { file, text: blank(given) })) {
      const changed = applyFix(given, fix);
      if (changed !== given && !unlike.has(changed)) unlike.set(changed, fix);
    }
    return [...unlike.values()].slice(0, MOST);
  };
  /** The first of some changes after which the check is clean. */
  const firstClean = async (given: string, proposed: readonly Fix[]): Promise<Fix | undefined> => {
    for (const fix of proposed) if ((await checked(applyFix(given, fix)))?.verdict === 'clean') return fix;
    return undefined;
  };
  const singles: (Fix | undefined)[] = [];
  for (const finding of findings) singles.push(await firstClean(text, proposals(finding, text)));
  const proven = singles.find((fix) => fix !== undefined);
  if (proven !== undefined) return singles.map((fix) => [fix ?? proven]);
  // Two words may be too weak, one for each side of a flag.
  const pairs: (readonly Fix[])[] = [];
  for (const finding of findings) {
    const [first] = wordFixes(finding);
    const changed = first === undefined ? text : applyFix(text, first);
    const rest = first === undefined ? undefined : (await checked(changed))?.findings[0];
    const second = rest === undefined ? undefined : await firstClean(changed, proposals(rest, changed));
    pairs.push(first === undefined || second === undefined ? [] : [first, second]);
  }
  return pairs;
}
