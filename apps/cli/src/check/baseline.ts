import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { findingFingerprint, type Finding } from '@nccl-ts/findings';
import { isAcceptable } from './accept-findings.ts';
import { writeFile } from '../output/write-file.ts';
import { UsageError } from '../usage-error.ts';
import type { BaselineEntry } from './baseline-entry.ts';

const FORMAT = 'nccl-ts/check-baseline';
const VERSION = 1;

/** A program with its findings. */
export interface FoundIn {
  /** The name on the command line. */
  readonly file: string;
  readonly name: string;
  readonly findings: readonly Finding[];
}

/** Findings that are accepted for now, as stored in a committed file. */
export class Baseline {
  readonly path: string;
  readonly entries: readonly BaselineEntry[];

  constructor(path: string, entries: readonly BaselineEntry[]) {
    this.path = path;
    this.entries = entries;
  }

  /**
   * Reads a baseline. With `mayBeMissing`, a missing file has no entries.
   *
   * @throws UsageError if there is no such file, or it is not a baseline.
   */
  static async read(path: string, mayBeMissing: boolean): Promise<Baseline> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if (mayBeMissing && error instanceof Error && 'code' in error && error.code === 'ENOENT') {
        return new Baseline(path, []);
      }
      throw new UsageError(`--baseline ${path}: ${messageOf(error)}; --update-baseline makes one`);
    }
    return new Baseline(path, entriesIn(text, path));
  }

  /** Returns the entries for a program of this module. */
  of(file: string, name: string): readonly BaselineEntry[] {
    const key = this.#key(file);
    return this.entries.filter((entry) => entry.file === key && entry.name === name);
  }

  /** Returns the entries for checked programs whose finding was not seen again. */
  stale(programs: readonly FoundIn[]): readonly BaselineEntry[] {
    return programs.flatMap(({ file, name, findings }) => {
      const found = findings.map((finding) => findingFingerprint(finding));
      return this.of(file, name).filter(({ fingerprint }) => {
        const at = found.indexOf(fingerprint);
        if (at >= 0) found.splice(at, 1);
        return at < 0;
      });
    });
  }

  /**
   * Returns the baseline that accepts exactly these errors of the checked programs, and keeps the
   * entries of other programs.
   */
  updated(programs: readonly FoundIn[]): Baseline {
    const checked = new Set(programs.flatMap(({ file, name }) => this.of(file, name)));
    const found = programs.flatMap(({ file, name, findings }) =>
      findings.filter(isAcceptable).map((finding) => entryOf(this.#key(file), name, finding)),
    );
    const all = [...this.entries.filter((entry) => !checked.has(entry)), ...found];
    return new Baseline(this.path, all.toSorted(byLocation));
  }

  /** @throws UsageError if the file cannot exist; WriteError if it could not be written. */
  async write(): Promise<void> {
    const text = JSON.stringify({ format: FORMAT, version: VERSION, accepted: this.entries }, undefined, 2);
    await writeFile('--baseline', this.path, `${text}\n`);
  }

  #key(file: string): string {
    return relative(dirname(resolve(this.path)), resolve(file))
      .split(sep)
      .join('/');
  }
}

function entryOf(file: string, name: string, finding: Finding): BaselineEntry {
  const { kind, message, labels, fault, deadlock } = finding;
  const locations = [
    ...labels.map(({ place: location }) => location),
    fault?.place,
    ...(deadlock?.waiting ?? []).map(({ place: location }) => location),
  ];
  const lines = locations.flatMap((location) => location?.quote.text.trim() ?? []);
  return { file, name, kind, message, lines: [...new Set(lines)], fingerprint: findingFingerprint(finding) };
}

function byLocation(a: BaselineEntry, b: BaselineEntry): number {
  const key = ({ file, name, kind, fingerprint }: BaselineEntry): string => [file, name, kind, fingerprint].join('\0');
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

function entriesIn(text: string, path: string): readonly BaselineEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--baseline ${path}: it is not JSON: ${messageOf(error)}`);
  }
  if (!isBaseline(value)) {
    throw new UsageError(`--baseline ${path}: it is not a baseline of version ${VERSION}; --update-baseline makes one`);
  }
  return value.accepted;
}

interface BaselineJson {
  readonly accepted: readonly BaselineEntry[];
}

function isBaseline(value: unknown): value is BaselineJson {
  if (typeof value !== 'object' || value === null) return false;
  if (!('format' in value) || value.format !== FORMAT || !('version' in value) || value.version !== VERSION)
    return false;
  return 'accepted' in value && Array.isArray(value.accepted) && value.accepted.every(isEntry);
}

function isEntry(value: unknown): value is BaselineEntry {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const texts = ['file', 'name', 'kind', 'message', 'fingerprint'].every(
    (name) => typeof fields.get(name) === 'string',
  );
  return texts && Array.isArray(fields.get('lines'));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
