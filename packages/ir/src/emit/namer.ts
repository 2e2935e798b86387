/**
 * Turns authors' names into identifiers that are safe in generated text. They consist of letters,
 * digits and underscores, and are neither reserved nor used before. Emitters receive authors' names
 * in this form only.
 */
export class Namer {
  readonly #reserved: ReadonlySet<string>;
  readonly #used = new Set<string>();
  /** The next number to try for each base name. It keeps many equal names fast. */
  readonly #next = new Map<string, number>();

  /**
   * `reserved` contains the target language's keywords and all names that the emitter itself uses.
   */
  constructor(reserved: Iterable<string>) {
    this.#reserved = new Set(reserved);
  }

  /** Returns a new identifier, similar to `wanted` if possible. */
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

  /** True if `name` is still unused. */
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
 * Replaces characters that identifiers cannot contain with `_`. Leading and double underscores are
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
