import type { JsonValue } from './json-value.ts';
import { row, rule } from './table-text.ts';

/** The times of the Python package: medians of the wall and of the processor time, and the bar. */
export function pythonTimes(results: JsonValue): readonly string[] {
  const seconds = (one: JsonValue, name: string): string => {
    const median = one.at(name).at('median').number;
    return median < 1 ? `${(1000 * median).toFixed(0)} ms` : `${median.toFixed(1)} s`;
  };
  return [
    row(['what', 'time', 'processor time', 'bar', 'verdict']),
    rule(5),
    ...results.at('rows').list.map((one) => {
      const verdict = one.at('verdict').present ? one.at('verdict').text : '';
      const bar = `${one.at('bar').number} s`;
      return row([one.at('what').text, seconds(one, 'seconds'), seconds(one, 'cpu'), bar, verdict]);
    }),
  ];
}

/** The verdicts on public launchers by ranks, as they are and mended, and the processor time. */
export function pythonLaunchers(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list;
  const nameOf = (one: JsonValue): string => `${one.at('repository').text} ${one.at('launcher').text}`;
  const names = [...new Set(rows.map(nameOf))];
  return [
    row(['launcher', '2 ranks', '4 ranks', 'at', 'mended', 'processor time, at most']),
    rule(6),
    ...names.map((name) => {
      const those = rows.filter((one) => nameOf(one) === name);
      const asItIs = those.filter((one) => one.at('mended').value === false);
      const verdicts = [2, 4].map((ranks) => asItIs.filter((one) => one.at('ranks').number === ranks).map(verdictOf));
      const mended = new Set(those.filter((one) => one.at('mended').value === true).map(verdictOf));
      const most = Math.max(...those.map((one) => one.at('cpu').number));
      return row([name, ...verdicts.map(String), errorLines(asItIs), [...mended].join(', '), `${most.toFixed(1)} s`]);
    }),
  ];
}

function verdictOf(one: JsonValue): string {
  return one.at('verdict').text;
}

/** The two lines of each error, once. */
function errorLines(rows: readonly JsonValue[]): string {
  const lines = rows.flatMap((one) =>
    one
      .at('findings')
      .list.filter((finding) => finding.list[0]?.text === 'error')
      .map((finding) =>
        finding.list[2]?.list.map((place) => place.list.map((part) => part.value).join(':')).join(' and '),
      ),
  );
  return [...new Set(lines)].join('; ');
}
