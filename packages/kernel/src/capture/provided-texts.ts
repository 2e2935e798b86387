import { NcclError } from '@nccl-ts/core';
import { lineAt, type SourceLocation } from '@nccl-ts/ir';

/** A file whose code runs in this process. Hosts that cannot locate a function need it. */
export interface AuthorText {
  /** The name of the file that reports show. */
  readonly file: string;
  /** The text that runs. */
  readonly ran: string;
  /**
   * The text that the author wrote. It may differ from `ran` only where types were blanked out. If
   * it is absent, the author wrote `ran`.
   */
  readonly author?: string;
  /**
   * The URL from which the text runs, as the engine's stacks have it. With it, calls of a host
   * program have a position too. The running text may differ from `ran` within its import lines.
   */
  readonly url?: string;
}

type ProvidedText = AuthorText & Required<Omit<AuthorText, 'url'>>;

const texts = new Map<string, ProvidedText>();

/**
 * Lets findings, deadlocks and diagnostics of this process name the author's lines in a text, until
 * you dispose of it. Browsers need this, because only Node can find the file of a function.
 *
 * A text replaces the previous one of the same file. A function whose text occurs in several places
 * keeps no position, because one of them would be wrong.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the two texts differ in more than blanks.
 */
export function provideAuthorText({ file, ran, author = ran, url }: AuthorText): Disposable {
  const at = firstDifference(ran, author);
  if (at !== undefined) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `cannot provide the author's text of ${file}, because it differs from the running text in more than white space, ` +
        `at offset ${at}; blank types out in place.`,
    );
  }
  const text: ProvidedText = { file, ran, author, ...(url === undefined ? {} : { url }) };
  texts.set(file, text);
  return {
    [Symbol.dispose]: () => {
      if (texts.get(file) === text) texts.delete(file);
    },
  };
}

/**
 * The position of a function in a text that was provided; `undefined` unless exactly one text
 * contains it, once.
 */
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

/**
 * The position of the innermost frame of a stack that is in a text which was provided with its URL;
 * `undefined` if there is none. It is the start of the called expression, `win.read` of
 * `win.read()`, in all engines: each of them reports another column of it.
 */
export function stackLocation(stack: string | undefined): SourceLocation | undefined {
  const urls = [...texts.values()].filter(({ url }) => url !== undefined);
  if (urls.length === 0 || stack === undefined) return undefined;
  for (const frame of stack.split('\n')) {
    for (const { file, author, url } of urls) {
      const at = frame.indexOf(`${url}:`);
      if (at === -1) continue;
      const [, line, column] = /^:(\d+):(\d+)/.exec(frame.slice(at + String(url).length)) ?? [];
      const text = author.split('\n')[Number(line) - 1]?.replace(/\r$/, '');
      if (text !== undefined) return { file, line: Number(line), column: startOfCallee(text, Number(column)), text };
    }
  }
  return undefined;
}

/**
 * The position of the call that a host program is making, in a text that was provided with its URL;
 * `undefined` if there is none. Only calls before the first `await` of a function of this project
 * have it.
 */
export function hostCallLocation(): SourceLocation | undefined {
  const hasUrl = [...texts.values()].some(({ url }) => url !== undefined);
  return hasUrl ? stackLocation(new Error().stack) : undefined;
}

/** Names with their members. Frames of functions that wait are at their `await`. */
const callees = /(?:await +)?([\p{ID_Start}$_#][\p{ID_Continue}$.#]*)/gu;

/** From 1. The engine's column is at the start of a callee, at its last name, or after it. */
function startOfCallee(text: string, column: number): number {
  for (const { 0: whole, 1: callee = '', index } of text.matchAll(callees)) {
    if (index < column && column <= index + whole.length + 1) return index + 1 + whole.length - callee.length;
  }
  return column;
}

function startsOf(text: string, part: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) starts.push(at);
  return starts;
}

function firstDifference(ran: string, author: string): number | undefined {
  for (let i = 0; i < Math.max(ran.length, author.length); i++) {
    const one = ran[i];
    // Every character of a type except line breaks became a blank.
    const isBlanked = one === ' ' && author[i] !== undefined && author[i] !== '\n';
    // If a type was the whole statement, a semicolon before it ends the previous statement.
    const isEnded = one === ';' && author[i] !== undefined && author[i] !== '\n';
    if (one !== author[i] && !isBlanked && !isEnded) return i;
  }
  return undefined;
}
