import { NcclError } from '@nccl-ts/core';
import { lineAt, type SourceLocation } from '@nccl-ts/ir';

/** A file whose code runs here, for hosts that cannot say where a function was written. */
export interface AuthorText {
  /** The name of the file that reports show. */
  readonly file: string;
  /** The text that runs. */
  readonly ran: string;
  /**
   * The text that the author wrote. It differs from `ran` in blanks only: types that were blanked
   * out. Absent: the author wrote `ran`.
   */
  readonly author?: string;
}

const texts = new Map<string, Required<AuthorText>>();

/**
 * Tells reports of this process where the functions of a text were written, until it is disposed.
 * Browsers need it: only Node can be asked for the file of a function. Findings, deadlocks and
 * diagnostics then name the author's lines.
 *
 * A text replaces the previous one of the same file. A function whose text occurs in several places
 * keeps no position, because one of them would be wrong.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the two texts differ in more than blanks.
 */
export function provideAuthorText({ file, ran, author = ran }: AuthorText): Disposable {
  const at = firstDifference(ran, author);
  if (at !== undefined) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `cannot provide the author's text of ${file}, because it differs from the running text in more than white space, ` +
        `at offset ${at}; blank types out in place.`,
    );
  }
  const text = { file, ran, author };
  texts.set(file, text);
  return {
    [Symbol.dispose]: () => {
      if (texts.get(file) === text) texts.delete(file);
    },
  };
}

/** The position of a function in a text that was provided; `undefined` where none has it once. */
export function providedLocation(body: string): ((offset: number) => SourceLocation) | undefined {
  const found = [...texts.values()].flatMap((text) => startsOf(text.ran, body).map((start) => ({ ...text, start })));
  const [only] = found;
  if (only === undefined || found.length > 1) return undefined;
  const { file, author, start } = only;
  return (offset) => {
    const { line, column, text } = lineAt(author, start + offset);
    return { file, line, column, text: text.replace(/\r$/, '') };
  };
}

function startsOf(text: string, part: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) starts.push(at);
  return starts;
}

function firstDifference(ran: string, author: string): number | undefined {
  for (let i = 0; i < Math.max(ran.length, author.length); i++) {
    const one = ran[i];
    // A blank stands for every character of a type but a line break.
    const isBlanked = one === ' ' && author[i] !== undefined && author[i] !== '\n';
    // A semicolon ends a statement in front of a type that was the whole statement.
    const isEnded = one === ';' && author[i] !== undefined && author[i] !== '\n';
    if (one !== author[i] && !isBlanked && !isEnded) return i;
  }
  return undefined;
}
