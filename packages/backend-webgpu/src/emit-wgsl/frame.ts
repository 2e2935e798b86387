import { readLocals, type Expression, type LocalId } from '@nccl-ts/ir';
import type { WgslEmitContext } from './context.ts';
import { bitWords, valueOf } from './emit-collective.ts';
import { emitExpression, recordWord } from './emit-expression.ts';
import { header } from './launch-record.ts';
import { stateWords } from './value-type.ts';

/** The storage for the threads of a waiting CTA: each has its own words in the state buffer. */
export class StateFrame {
  readonly #c: WgslEmitContext;
  readonly #recomputable: ReadonlyMap<LocalId, Expression>;
  readonly #offsets = new Map<LocalId, number>();
  #words: number;
  #arrays: { readonly at: number; readonly words: number } | undefined;

  /** With `latched`, the first word records the progress of a thread's wait. */
  constructor(c: WgslEmitContext, recomputable: ReadonlyMap<LocalId, Expression>, latched: boolean) {
    this.#c = c;
    this.#recomputable = recomputable;
    this.#words = latched ? 1 : 0;
  }

  /** Returns the number of words that each thread stores. */
  get words(): number {
    return this.#words;
  }

  /** Reserves room for these locals, except for those that are recomputed. */
  reserve(locals: Iterable<LocalId>): void {
    for (const id of locals) {
      if (this.#recomputable.has(id) || this.#offsets.has(id)) continue;
      this.#offsets.set(id, this.#words);
      this.#words += stateWords(this.#c.localType(id), this.#c.checks);
    }
  }

  /** Reserves `words` words for the thread's own arrays. */
  reserveArrays(words: number): void {
    this.#arrays ??= { at: this.#words, words };
    this.#words = Math.max(this.#words, this.#arrays.at + words);
  }

  saveArrays(): void {
    this.#copyArrays((kept, own) => `${kept} = ${own};`);
  }

  restoreArrays(): void {
    this.#copyArrays((kept, own) => `${own} = ${kept};`);
  }

  #copyArrays(copy: (kept: string, own: string) => string): void {
    if (this.#arrays === undefined) return;
    const { at, words } = this.#arrays;
    const own = this.#c.facts.threadsEach > 1 ? `nts_local[nts_k * ${words}u + i]` : 'nts_local[i]';
    this.#c.line(`for (var i = 0u; i < ${words}u; i++) { ${copy(`nts_state[nts_kept(${at}u + i)]`, own)} }`);
  }

  /** Returns the element of the state buffer that is word `word` of the current thread. */
  word(word: number): string {
    return `nts_state[nts_kept(${word}u)]`;
  }

  save(locals: Iterable<LocalId>): void {
    for (const [id, at] of this.#placed(locals)) {
      const words = bitWords(this.#c.localType(id), this.#c.local(id), this.#c);
      words.forEach((word, i) => this.#c.line(`${this.word(at + i)} = ${word};`));
    }
  }

  restore(locals: Iterable<LocalId>): void {
    for (const [id, at] of this.#placed(locals)) {
      const type = this.#c.localType(id);
      const words = Array.from({ length: stateWords(type, this.#c.checks) }, (_, i) => this.word(at + i));
      this.#c.line(`${this.#c.local(id)} = ${valueOf(type, words, this.#c)};`);
    }
  }

  /** Sets the locals that are functions of constant values. */
  recompute(locals: Iterable<LocalId>): void {
    const done = new Set<LocalId>();
    const visit = (id: LocalId): void => {
      const value = this.#recomputable.get(id);
      if (value === undefined || done.has(id)) return;
      done.add(id);
      for (const read of readLocals(value)) visit(read);
      this.#c.line(`${this.#c.local(id)} = ${emitExpression(value, this.#c)};`);
    };
    for (const id of [...locals].toSorted((a, b) => a - b)) visit(id);
  }

  /** Returns the locals that recomputing these assigns. */
  recomputed(locals: Iterable<LocalId>): ReadonlySet<LocalId> {
    const found = new Set<LocalId>();
    const visit = (id: LocalId): void => {
      const value = this.#recomputable.get(id);
      if (value === undefined || found.has(id)) return;
      found.add(id);
      for (const read of readLocals(value)) visit(read);
    };
    for (const id of locals) visit(id);
    return found;
  }

  /**
   * Returns the function that finds a thread's words. Those of neighbouring threads are adjacent.
   */
  text(): string {
    const { threads } = this.#c.facts;
    return [
      '/** The index of a word that this thread keeps while its CTA waits. */',
      'fn nts_kept(word: u32) -> u32 {',
      `  return ${recordWord(header.threads)} + (nts_cta * ${this.#words}u + word) * ${threads}u + nts_thread;`,
      '}',
    ].join('\n');
  }

  #placed(locals: Iterable<LocalId>): readonly (readonly [LocalId, number])[] {
    return [...locals]
      .toSorted((a, b) => a - b)
      .flatMap((id) => {
        const at = this.#offsets.get(id);
        return at === undefined ? [] : [[id, at] as const];
      });
  }
}
