import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { Finding, QuotedLocation } from '@nccl-ts/findings';

/** Accepts findings of a kind at a line: `all-reduce.cuh:120:race`. */
export interface AcceptRule {
  /** The end of a path. */
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
  readonly kind: string;
}

/** `--accept FILE:LINE:CODE`, any number of times. */
export function acceptRule(text: string, before: readonly AcceptRule[] = []): readonly AcceptRule[] {
  const match = /^(.+):(\d+):([a-z-]+)$/.exec(text);
  const [, file, line, kind] = match ?? [];
  if (file === undefined || kind === undefined) {
    throw new InvalidArgumentError('It must be FILE:LINE:CODE, such as all-reduce.cuh:120:race.');
  }
  return [...before, { file, line: Number(line), kind }];
}

/** `// nccl-ts: accept race because ...`: the reason is required. */
const comment = /\/\/\s*nccl-ts:\s*accept\s+([a-z-]+)\s+because\s+(\S.*)$/;

/**
 * Returns the reason why a finding is accepted: a rule of the command line, or a comment. The
 * comment is at the end of a line of the finding, or alone on the line before. Returns `undefined`
 * if there is neither.
 */
export function acceptedBy(
  { kind, labels, fault, deadlock }: Finding,
  rules: readonly AcceptRule[],
  source: SourceText = fileText,
): string | undefined {
  const places = [
    ...labels.map(({ place: location }) => location),
    fault?.place,
    ...(deadlock?.waiting ?? []).map(({ place: location }) => location),
  ].flatMap(withCalls);
  for (const { file, line } of places) {
    const rule = rules.find((one) => one.kind === kind && one.line === line && endsWithPath(file, one.file));
    if (rule !== undefined) return `--accept ${rule.file}:${rule.line}:${rule.kind}`;
  }
  for (const { file, line } of places) {
    const lines = source(file)?.split(/\r?\n/) ?? [];
    for (const at of [line, line - 1]) {
      const text = lines[at - 1] ?? '';
      const [, accepted, why] = comment.exec(text) ?? [];
      // On the line before, only if nothing else is on it.
      if (accepted === kind && (at === line || /^\s*\/\//.test(text))) return `the comment at ${file}:${at}: ${why}`;
    }
  }
  return undefined;
}

interface FileLine {
  readonly file: string;
  readonly line: number;
}

/** Returns the author's lines of a source location, and of the calls that lead to it. */
function withCalls(place: QuotedLocation | undefined): readonly FileLine[] {
  if (place === undefined) return [];
  const { location, inlinedAt } = place;
  return [...(location === undefined ? [] : [{ file: location.file, line: location.line }]), ...withCalls(inlinedAt)];
}

/** True if `path` is `end`, or ends with it after a folder separator. */
function endsWithPath(path: string, end: string): boolean {
  const [whole, part] = [path, end].map((one) => one.replaceAll('\\', '/').replace(/^\.\//, ''));
  return whole === part || (part !== undefined && whole?.endsWith(`/${part}`) === true);
}

/** Returns the text of an author's file; `undefined` if it cannot be read. */
export type SourceText = (path: string) => string | undefined;

/** Reads files by paths relative to the current folder. */
export function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return undefined;
  }
}
