import { memberOf } from './node-builtins.ts';

/** The lines of the author's files, as `SourceLocation.text` has them. Each file is split once. */
export class AuthorLines {
  readonly #read: (name: string) => string | undefined;
  readonly #files = new Map<string, readonly string[]>();

  /** @param read the text of a file; `undefined` if it is not available. */
  constructor(read: (name: string) => string | undefined) {
    this.#read = read;
  }

  /**
   * Line `row`, from 0, without its break; `undefined` if the file has no such line, or cannot be
   * read.
   */
  at(name: string, row: number): string | undefined {
    let lines = this.#files.get(name);
    if (lines === undefined) {
      lines = this.#read(name)?.split(/\r?\n/) ?? [];
      this.#files.set(name, lines);
    }
    return lines[row];
  }
}

/** The source texts in a source map, by their names in the map. */
export function textsInMap(payload: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const sections: unknown = memberOf(payload, 'sections');
  const maps = Array.isArray(sections) ? sections.map((section: unknown) => memberOf(section, 'map')) : [payload];
  for (const map of maps) {
    const names: unknown = memberOf(map, 'sources');
    const contents: unknown = memberOf(map, 'sourcesContent');
    if (!Array.isArray(names) || !Array.isArray(contents)) continue;
    names.forEach((name: unknown, index) => {
      const content: unknown = contents[index];
      if (typeof name === 'string' && typeof content === 'string') texts.set(name, content);
    });
  }
  return texts;
}

/**
 * Starts at two mapped positions and walks both lines while their texts agree, apart from blanks.
 * Returns the column in `authors` that corresponds to `to` in `ran`. This is needed because a
 * source map has positions only for the beginnings of words.
 *
 * @returns `column` if the texts differ before `to`, for example in a shortened name.
 */
export function columnBehind(ran: string, from: number, to: number, authors: string, column: number): number {
  let at = column;
  for (let i = from; i < to; i++) {
    const character = ran.charAt(i);
    if (isBlank(character)) continue;
    while (isBlank(authors.charAt(at))) at++;
    if (authors.charAt(at) !== character) return column;
    at++;
  }
  // A shortened name may be a prefix of the author's.
  if (joinsWord(authors, at) && !joinsWord(ran, to)) return column;
  const next = at + (/^[ \t]*/.exec(authors.slice(at))?.[0].length ?? 0);
  return authors.charAt(next) === ran.charAt(to) ? next : at;
}

/** True if `at` is inside a word. */
function joinsWord(text: string, at: number): boolean {
  return at > 0 && /^[\p{ID_Continue}$]{2}$/u.test(text.slice(at - 1, at + 1));
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t';
}
