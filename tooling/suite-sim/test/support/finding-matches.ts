import type { FindingPattern } from '@nccl-ts/conformance';
import type { Finding, FindingLabel, MissingKind, QuotedLocation } from '@nccl-ts/findings';

/** True if the finding matches the pattern. */
export function findingMatches(finding: Finding, pattern: FindingPattern): boolean {
  const { kind, severity = 'error' } = pattern;
  if (finding.kind !== kind || finding.severity !== severity) return false;
  switch (kind) {
    case 'race':
    case 'proxy':
      return finding.labels.length === pattern.lines.length && labelsMatch(finding, pattern);
    case 'deadlock':
      return waitersMatch(finding, pattern);
    case 'uninitialised':
    case 'out-of-bounds':
    case 'misuse':
    case 'fault':
    case 'leftover':
    case 'incomplete':
      return labelsMatch(finding, pattern);
  }
}

/** Describes a finding in one line for a test's message. */
export function describeFinding({ kind, severity, message, labels, missing, deadlock }: Finding): string {
  const waiting = deadlock?.waiting.map((one) => ({ ...one, does: 'waits' })) ?? [];
  const places = [...labels, ...waiting].map(
    ({ rank, does, place }) => `rank ${rank} ${does} at ${linesOf(place)[0] ?? '?'}`,
  );
  const absent = missing.map((one) => one.kind).join(' + ');
  return `${kind} (${severity}), missing ${absent === '' ? 'nothing' : absent}: ${message} [${places.join(' | ')}]`;
}

/** True if the first labels are those of the pattern, in either order. */
function labelsMatch(finding: Finding, { lines, ranks, anyOrder, missing }: FindingPattern): boolean {
  const { labels } = finding;
  const inOrder = (order: readonly FindingLabel[]): boolean =>
    lines.every((piece, i) => {
      const label = order[i];
      return label !== undefined && stands(label, piece) && (ranks === undefined || ranks[i] === label.rank);
    });
  if (inOrder(labels) && lacks(finding, missing)) return true;
  if (anyOrder === undefined || !inOrder(labels.slice(0, lines.length).toReversed())) return false;
  return lacks(finding, anyOrder === true ? missing : anyOrder.missing);
}

/** True if the finding names all of these as missing. */
function lacks(finding: Finding, missing: readonly MissingKind[] = []): boolean {
  return missing.every((one) => finding.missing.some((ingredient) => ingredient.kind === one));
}

/** True if the waiting threads are exactly at these lines, on exactly these ranks. */
function waitersMatch({ deadlock }: Finding, { lines, ranks }: FindingPattern): boolean {
  const waiting = deadlock?.waiting ?? [];
  const everyLine = lines.every((piece) => waiting.some(({ place }) => isAt(place, piece)));
  const noOther = waiting.every(({ place }) => lines.some((piece) => isAt(place, piece)));
  const found = [...new Set(waiting.map(({ rank }) => rank))].toSorted((a, b) => a - b);
  return everyLine && noOther && (ranks === undefined || ranks.join() === found.join());
}

function stands({ agent, place }: FindingLabel, piece: string): boolean {
  return agent === 'host' ? piece === 'host' : isAt(place, piece);
}

function isAt(place: QuotedLocation | undefined, piece: string): boolean {
  return linesOf(place).some((line) => line.includes(piece));
}

/** Returns the lines of a place, from the kernel's own line to that in the innermost function. */
function linesOf(place: QuotedLocation | undefined): readonly string[] {
  const lines: string[] = [];
  for (let at = place; at !== undefined; at = at.inlinedAt) lines.unshift(at.quote.text.trim());
  return lines;
}
