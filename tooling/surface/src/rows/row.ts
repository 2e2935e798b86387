import { words } from '../entry.ts';

/**
 * Public names of NCCL, and the tests that show what they do. If a wrong use is harmful, they include
 * wrong uses.
 */
export interface Row {
  /** The names, as in `surface.json`. Empty for a feature that has none. */
  readonly names: readonly string[];
  /** The cases of the conformance suite: ids, in which `*` stands for any part of a name. */
  readonly cases: readonly string[];
  /** The form or part of the names that the row is about. */
  readonly form?: string;
  /** The location of a feature without names. The mapping has that of names. */
  readonly here?: string;
  /** Says why no case is needed. */
  readonly none?: string;
  /** The author's mistakes that NCCL describes but does not check, each with cases that show it. */
  readonly traps: Readonly<Record<string, readonly string[]>>;
  /** The mistakes without a case, each with the reason. */
  readonly silent: Readonly<Record<string, string>>;
  /** The programs of bug classes. */
  readonly programs: readonly string[];
  /** Other tests: the file of each, and its title. */
  readonly tests: Readonly<Record<string, string>>;
}

/** What a row may have beyond names and cases. */
export interface MoreOfRow extends Pick<Row, 'form' | 'here' | 'none'> {
  readonly traps?: Readonly<Record<string, string>>;
  readonly silent?: Readonly<Record<string, string>>;
  readonly programs?: string;
  readonly tests?: Readonly<Record<string, string>>;
}

/** Returns a row. Lists are texts with spaces between their items. */
export function row(names: string, cases: string, more: MoreOfRow = {}): Row {
  const { traps = {}, silent = {}, programs = '', tests = {}, ...rest } = more;
  return {
    ...rest,
    names: words(names),
    cases: words(cases),
    traps: Object.fromEntries(Object.entries(traps).map(([trap, of]) => [trap, words(of)])),
    silent,
    programs: words(programs),
    tests,
  };
}
