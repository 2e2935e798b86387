/**
 * Makes authors' names safe for generated text: identifiers of letters, digits and underscores that
 * are not reserved and not used before. Only such identifiers from an author's text ever reach an
 * emitter.
 */
export class Namer {
  readonly #reserved: ReadonlySet<string>;
  readonly #used = new Set<string>();
  /** The next number to try for each base, so that many equal names stay fast. */
  readonly #next = new Map<string, number>();

  /** `reserved` holds the language's words and all names that the emitter uses itself. */
  constructor(reserved: Iterable<string>) {
    this.#reserved = new Set(reserved);
  }

  /** A new identifier, close to `wanted` where that is possible. */
  name(wanted: string): string {
    const base = identifierOf(wanted);
    if (this.#take(base)) return base;
    for (let number = this.#next.get(base) ?? 1; ; number++) {
      const candidate = `${base}_${number}`;
      if (!this.#take(candidate)) continue;
      this.#next.set(base, number + 1);
      return candidate;
    }
  }

  /** True if `name` would be new. */
  isFree(name: string): boolean {
    return !this.#reserved.has(name) && !this.#used.has(name);
  }

  #take(name: string): boolean {
    if (!this.isFree(name)) return false;
    this.#used.add(name);
    return true;
  }
}

const maxLength = 40;

/**
 * `wanted` with `_` for characters that identifiers cannot have. Leading and double underscores are
 * removed, because several languages reserve them.
 */
function identifierOf(wanted: string): string {
  const plain = wanted
    .slice(0, maxLength)
    .replaceAll(/\W+/g, '_')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  if (plain === '') return 'v';
  return /^\d/.test(plain) ? `v${plain}` : plain;
}
