import type { Edit } from '../edits.ts';
import type { CheckedText } from '../checked-text.ts';
import type { Strengthening } from './strengthening.ts';

/** One program in which changes are checked. */
export interface SearchInput {
  readonly name: string;
}

/** A text that is to be repaired. */
export interface RepairedText<Input extends SearchInput> {
  /** The text with changes. */
  readonly textOf: (changes: readonly Strengthening[]) => string;
  /** Checks a text in an input. */
  readonly check: (text: string, input: Input) => Promise<CheckedText>;
}

/** Checks a text with changes, until its time is over. */
export class Search<Input extends SearchInput> {
  readonly #text: RepairedText<Input>;
  readonly #onCheck: (doing: string) => void;
  readonly #known = new Map<string, Promise<CheckedText>>();
  #until: number;
  #checks = 0;

  constructor(text: RepairedText<Input>, until: number, onCheck: (doing: string) => void) {
    this.#text = text;
    this.#until = until;
    this.#onCheck = onCheck;
  }

  get checks(): number {
    return this.#checks;
  }

  get isOver(): boolean {
    return performance.now() > this.#until;
  }

  /** Gives the search until another time, in milliseconds of the process. */
  extendTo(until: number): void {
    this.#until = Math.max(this.#until, until);
  }

  /** The outcome of a check with changes. Each set is checked once in an input. */
  async check(changes: readonly Strengthening[], input: Input): Promise<CheckedText> {
    const text = this.#text.textOf(changes);
    const key = JSON.stringify([input.name, text]);
    let outcome = this.#known.get(key);
    if (outcome === undefined) {
      this.#onCheck(`${changes.map(({ does }) => does).join(', ')} (${input.name})`);
      this.#checks++;
      outcome = this.#text.check(text, input).then(complete);
      this.#known.set(key, outcome);
    }
    return outcome;
  }

  /**
   * A smallest set of changes, out of a list that is clean in an input, with those that come first
   * preferred. `undefined` if the time ends before.
   */
  async smallest(changes: readonly Strengthening[], input: Input): Promise<readonly Strengthening[] | undefined> {
    const needed: Strengthening[] = [];
    let rest = changes;
    while ((await this.check(needed, input)).kind !== 'clean') {
      let [low, high] = [1, rest.length];
      while (low < high) {
        if (this.isOver) return undefined;
        const middle = (low + high) >> 1;
        const trial = await this.check([...needed, ...rest.slice(0, middle)], input);
        if (trial.kind === 'clean') high = middle;
        else low = middle + 1;
      }
      const last = rest[low - 1];
      if (last === undefined) return undefined;
      needed.push(last);
      rest = rest.slice(0, low - 1);
    }
    return needed;
  }
}

/** A check that ended at its time has found no error so far, and says nothing. */
function complete(outcome: CheckedText): CheckedText {
  const isCut = outcome.kind === 'clean' && outcome.report.verdict !== 'clean';
  return isCut ? { kind: 'none', why: 'the check did not end in time' } : outcome;
}

/** The edits of changes. Where several change one place, the first one does. */
export function editsOf(changes: readonly Strengthening[]): readonly Edit[] {
  const found = new Map<string, Edit>();
  const isInsertion = ({ span }: Edit): boolean => span.start === span.end;
  for (const edit of changes.flatMap(({ edits }) => edits)) {
    const key = isInsertion(edit) ? `${edit.span.start} ${edit.with}` : `=${edit.span.start}`;
    if (!found.has(key)) found.set(key, edit);
  }
  // An insertion stands before the instruction at its place.
  return [...found.values()].toSorted((a, b) => Number(isInsertion(b)) - Number(isInsertion(a)));
}
