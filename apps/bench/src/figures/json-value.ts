/**
 * The contents of a results file, read step by step. Each step throws if the file has another
 * structure.
 */
export class JsonValue {
  readonly #value: unknown;
  readonly #where: string;

  constructor(value: unknown, where: string) {
    this.#value = value;
    this.#where = where;
  }

  /** The field of that name, or an absent value if there is none. */
  at(name: string): JsonValue {
    const value = this.#value;
    const field: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    return new JsonValue(field, `${this.#where}.${name}`);
  }

  /** Returns the value unchanged. */
  get value(): unknown {
    return this.#value;
  }

  get present(): boolean {
    return this.#value !== undefined;
  }

  get names(): readonly string[] {
    const value = this.#value;
    return typeof value === 'object' && value !== null ? Object.keys(value) : this.#fail('an object');
  }

  get list(): readonly JsonValue[] {
    if (!Array.isArray(this.#value)) return this.#fail('a list');
    return this.#value.map((one: unknown, i) => new JsonValue(one, `${this.#where}[${i}]`));
  }

  get number(): number {
    return typeof this.#value === 'number' ? this.#value : this.#fail('a number');
  }

  get text(): string {
    return typeof this.#value === 'string' ? this.#value : this.#fail('a text');
  }

  #fail(expected: string): never {
    throw new TypeError(`${this.#where} is not ${expected}`);
  }
}
