/** Something that several ranks hold. It ends when the last of them releases it. */
export class Shared<T> {
  readonly value: T;
  readonly #end: (value: T) => Promise<void>;
  #holders: number;

  constructor(value: T, holders: number, end: (value: T) => Promise<void>) {
    this.value = value;
    this.#holders = holders;
    this.#end = end;
  }

  /** Called once by each holder. */
  async release(): Promise<void> {
    this.#holders--;
    if (this.#holders === 0) await this.#end(this.value);
  }
}
