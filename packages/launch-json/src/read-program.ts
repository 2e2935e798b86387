import { showValue } from '@nccl-ts/core';
import type * as z from 'zod/mini';
import { checkProgram } from './check-program.ts';
import { PROGRAM_FORMAT, PROGRAM_VERSION, type ProgramJson } from './program-json.ts';
import { programError, type JsonKey } from './program-error.ts';
import { programSchema } from './program-schema.ts';

/** The longest text that is read, in bytes. */
export const MOST_PROGRAM_BYTES: number = 2 ** 28;

/**
 * Reads a program from its JSON text.
 *
 * @throws NcclError `NCCLTS_PROGRAM` if the text is too long, is not JSON, has another version, or
 *   is not a program. The message begins with the place, and `details.path` is that place.
 */
export function readProgram(text: string): ProgramJson {
  expectProgramSize(text.length);
  return programOf(parsed(text));
}

/** @throws NcclError `NCCLTS_PROGRAM` if a text of so many bytes is too long. */
export function expectProgramSize(bytes: number): void {
  if (bytes <= MOST_PROGRAM_BYTES) return;
  throw programError(
    [],
    `has ${bytes} bytes, and at most ${MOST_PROGRAM_BYTES} are read; make its memory smaller, which finds the same.`,
  );
}

/**
 * Checks a value that was read from JSON.
 *
 * @throws NcclError `NCCLTS_PROGRAM` as `readProgram` does.
 */
export function programOf(value: unknown): ProgramJson {
  expectHead(value);
  const { success, data, error } = programSchema.safeParse(value);
  if (!success) throw programErrorOf(error.issues, value);
  checkProgram(data);
  return data;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    throw programError([], `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Other formats and versions may have any other form, so these come first. */
function expectHead(value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    throw programError([], `must be an object with format, version, texts and worlds; given ${showValue(value)}.`);
  }
  const format: unknown = Reflect.get(value, 'format');
  if (format !== PROGRAM_FORMAT) {
    throw programError(['format'], `must be "${PROGRAM_FORMAT}"; given ${showValue(format)}.`);
  }
  const version: unknown = Reflect.get(value, 'version');
  if (version === PROGRAM_VERSION) return;
  const advice =
    typeof version === 'number' && version > PROGRAM_VERSION
      ? 'a later nccl-ts wrote it, so update this one.'
      : 'write that number.';
  throw programError(['version'], `must be ${PROGRAM_VERSION}; given ${showValue(version)}: ${advice}`);
}

type Issue = z.core.$ZodIssue;

/** Tells of the first problem. Of the alternatives of a place, it takes the one that fits best. */
function programErrorOf(issues: readonly Issue[], value: unknown): Error {
  const [first] = issues;
  if (first === undefined) return programError([], 'is not a program.');
  const { issue, path } = deepest(first, keysOf(first.path));
  return programError(path, problemOf(issue, at(value, path)));
}

interface PlacedIssue {
  readonly issue: Issue;
  readonly path: readonly JsonKey[];
}

function deepest(issue: Issue, path: readonly JsonKey[]): PlacedIssue {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return { issue, path };
  const inner = issue.errors.flatMap(([first]) =>
    first === undefined ? [] : deepest(first, [...path, ...keysOf(first.path)]),
  );
  const [best] = inner.toSorted((a, b) => b.path.length - a.path.length || rankOf(a.issue) - rankOf(b.issue));
  return best === undefined || best.path.length === path.length ? { issue, path } : best;
}

/** A wrong value of a field that is there says more than a field that is not. */
function rankOf({ code }: Issue): number {
  return code === 'unrecognized_keys' ? 1 : 0;
}

function keysOf(path: readonly PropertyKey[]): readonly JsonKey[] {
  return path.map((key) => (typeof key === 'symbol' ? String(key) : key));
}

function at(value: unknown, path: readonly JsonKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

function problemOf(issue: Issue, given: unknown): string {
  const shown = given === undefined ? 'is missing' : `is ${showValue(given)}`;
  switch (issue.code) {
    case 'unrecognized_keys':
      return `has a field ${issue.keys.join(', ')} that programs of version ${PROGRAM_VERSION} do not have.`;
    case 'invalid_type':
      return given === undefined
        ? `is missing; write ${wordOf(issue.expected)}.`
        : `must be ${wordOf(issue.expected)}; it ${shown}.`;
    case 'invalid_value':
      return `must be ${issue.values.map((one) => JSON.stringify(one)).join(' or ')}; it ${shown}.`;
    case 'too_small':
      return `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}; it ${shown}.`;
    case 'too_big':
      return `must be at most ${issue.maximum}; it ${shown}.`;
    case 'invalid_format':
      return `must be ${issue.format === 'base64' ? 'base64' : 'a number'}; it ${shown}.`;
    case 'invalid_union':
      return `${given === undefined ? 'is missing' : `has none of the possible forms; it ${shown}`}; the README of @nccl-ts/launch-json lists them.`;
    default:
      return `is wrong (${issue.code}); it ${shown}.`;
  }
}

function wordOf(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    array: 'a list',
    boolean: 'true or false',
    int: 'an integer',
    number: 'a number',
    object: 'an object',
    record: 'an object',
    string: 'a text',
  };
  return words[expected] ?? expected;
}
