import { artifact } from './sarif-location.ts';
import type { SarifFix } from './sarif-log.ts';

/** A change of a source file after which the check does not find an error. */
export interface SourceFix {
  /** Its effect in a few words. */
  readonly title: string;
  /** The path of the file. */
  readonly file: string;
  /** The text of the file without the change, and with it. They differ. */
  readonly before: string;
  readonly after: string;
}

/** A fix in SARIF: it replaces the lines from the first to the last difference. */
export function sarifFix({ title, file, before, after }: SourceFix, root: string | undefined): SarifFix {
  const [old, made] = [before.split('\n'), after.split('\n')];
  const most = Math.min(old.length, made.length);
  let first = 0;
  while (first < most && old[first] === made[first]) first++;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === made.at(-1 - last)) last++;
  // A file without a break at its end has no line after the last one.
  const isAtEnd = last === 0;
  const inserted = made.slice(first, made.length - last);
  return {
    description: { text: title },
    artifactChanges: [
      {
        artifactLocation: artifact(file, root),
        replacements: [
          {
            deletedRegion: {
              startLine: first + 1,
              startColumn: 1,
              endLine: isAtEnd ? old.length : old.length - last + 1,
              endColumn: isAtEnd ? (old.at(-1) ?? '').length + 1 : 1,
            },
            insertedContent: { text: isAtEnd ? inserted.join('\n') : inserted.map((line) => `${line}\n`).join('') },
          },
        ],
      },
    ],
  };
}
