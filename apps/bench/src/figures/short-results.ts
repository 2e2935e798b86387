import type { JsonValue } from './json-value.ts';

/**
 * The kept part of a run of cases: the verdicts by case and shape, and the skipped cases with the
 * reason.
 */
export type ShortResults = Readonly<Record<string, unknown>>;

const copiedFields = [
  'commit',
  'command',
  'date',
  'machine',
  'sharing',
  'sharedGpus',
  'domainSize',
  'summary',
] as const;

/**
 * Shortens a file that `conformance`, `webgpu conformance`, `collectives` or `transfers` has
 * written to the form in `results/`.
 */
export function shortResults(raw: JsonValue): ShortResults {
  const verdicts = raw.at('results').present
    ? raw.at('results').list.map((one) => one.at('verdict'))
    : raw.at('verdicts').list;
  const byCase: Record<string, Record<string, string> | string> = {};
  const unsupported: Record<string, string[]> = {};
  for (const one of verdicts) {
    const name = one.at('case').text;
    const verdict = one.at('verdict').text;
    if (verdict === 'unsupported') {
      const cases = (unsupported[one.at('reason').text] ??= []);
      if (!cases.includes(name)) cases.push(name);
    } else if (one.at('variant').present) {
      const known = byCase[name];
      byCase[name] = { ...(typeof known === 'object' && known), [runName(one)]: verdict };
    } else byCase[name] = verdict;
  }
  return {
    ...Object.fromEntries(copiedFields.flatMap((name) => (raw.at(name).present ? [[name, raw.at(name).value]] : []))),
    verdicts: ascending(byCase),
    unsupported: ascending(
      Object.fromEntries(Object.entries(unsupported).map(([reason, cases]) => [reason, cases.toSorted()])),
    ),
  };
}

/** Parses a name such as `4 ranks in domains of 2, recorded`. */
function runName(one: JsonValue): string {
  const [ranks, lsaSize] = [one.at('ranks').number, one.at('lsaSize').number];
  const shape = `${ranks} ranks${lsaSize === ranks ? '' : ` in domains of ${lsaSize}`}`;
  const variant = one.at('variant').text;
  return variant === 'plain' ? shape : `${shape}, ${variant}`;
}

function ascending<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
