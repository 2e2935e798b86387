import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A test and the result that Dat3M expects of it. */
export interface LitmusExpectation {
  /** The path below `litmus/PTX`, without the ending. */
  readonly test: string;
  /** True if the property holds: the test's own condition, or that it ends. */
  readonly passes: boolean;
}

/** The tests of one file of expected results. */
export interface Suite {
  readonly name: string;
  readonly property: 'condition' | 'termination';
  readonly expectations: readonly LitmusExpectation[];
}

const files = [
  { name: 'v6.0', file: 'PTXv6_0-expected.csv', property: 'condition' },
  { name: 'v7.5', file: 'PTXv7_5-expected.csv', property: 'condition' },
  { name: 'liveness, v6.0', file: 'PTXv6_0-Liveness-expected.csv', property: 'termination' },
  { name: 'liveness, v7.5', file: 'PTXv7_5-Liveness-expected.csv', property: 'termination' },
] as const;

/**
 * The suites of a checkout. The tests of mixed proxies, which only v7.5 has, are a suite of their
 * own.
 */
export function suitesOf(checkout: string): readonly Suite[] {
  const suites = files.map(({ name, file, property }): Suite => {
    const text = readFileSync(join(checkout, 'dartagnan/src/test/resources', file), 'utf8');
    return { name, property, expectations: parseExpectations(text) };
  });
  const isMixed = ({ test }: LitmusExpectation): boolean => test.includes('/proxy/');
  const mixed = suites.flatMap(({ expectations }) => expectations.filter(isMixed));
  return [
    ...suites.map((suite) => ({ ...suite, expectations: suite.expectations.filter((one) => !isMixed(one)) })),
    { name: 'mixed proxies, v7.5', property: 'condition', expectations: mixed },
  ];
}

/** Parses lines like `litmus/PTX/Manual/MP-sys.litmus,1`. */
export function parseExpectations(text: string): readonly LitmusExpectation[] {
  return text.split('\n').flatMap((line) => {
    const found = /^litmus\/PTX\/(?<test>.+)\.litmus,(?<result>[01])\s*$/u.exec(line.trim())?.groups;
    return found === undefined ? [] : [{ test: found['test'] ?? '', passes: found['result'] === '1' }];
  });
}
