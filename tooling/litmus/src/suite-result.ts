/** The tests of a suite by what came of them. */
export interface SuiteResult {
  readonly suite: string;
  readonly agreed: string[];
  readonly disagreed: {
    readonly test: string;
    /** True if the property holds, by Dat3M and here. */
    readonly expected: boolean;
    readonly is: boolean;
    /** The kinds of errors that were found. */
    readonly found: readonly string[];
    /** The reason, by the PTX ISA. */
    readonly why: string;
  }[];
  readonly notExpressible: { readonly test: string; readonly why: string }[];
  /** Tests without an answer. */
  readonly open: { readonly test: string; readonly why: string }[];
}

export function summaryText({ suite, agreed, disagreed, notExpressible, open }: SuiteResult): string {
  const all = agreed.length + disagreed.length + notExpressible.length + open.length;
  return [
    `${suite}: ${all} tests; ${agreed.length} agreed, ${disagreed.length} disagreed, ${notExpressible.length} not expressible, ${open.length} open`,
    ...disagreed.map(
      ({ test, expected, is, found, why }) =>
        `  ${test}: expected ${expected}, is ${is} (${found.join(', ') || 'no error'}): ${why}`,
    ),
    ...open.map(({ test, why }) => `  ${test}: ${why}`),
  ].join('\n');
}
