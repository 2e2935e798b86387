/**
 * @typedef {{ physicalLocation?: { artifactLocation: { uri: string }, region: Record<string,
 *   number> } }} Location
 * @typedef {{ ruleId: string, level: string, message: { text: string }, locations: Location[] }}
 *   Result
 * @typedef {{ level: string, message: { text: string } }} Notification
 * @typedef {{ results: Result[], invocations: { toolExecutionNotifications?: Notification[] }[] }}
 *   Run
 */

/**
 * The workflow command for each level of SARIF.
 *
 * @type {Readonly<Record<string, string>>}
 */
const commands = { error: 'error', warning: 'warning', note: 'notice' };

/**
 * The workflow commands that annotate each result of a SARIF log at its line, and report the limits
 * that were reached.
 *
 * @param {{ runs: Run[] }} log
 * @param {(uri: string) => string} pathOf
 * @returns {string[]}
 */
export function annotationsOf({ runs }, pathOf) {
  return runs.flatMap(({ results, invocations }) => [
    ...results.map(({ ruleId, level, message, locations }) =>
      annotation(level, { ...placeOf(locations[0], pathOf), title: `nccl-ts: ${ruleId}` }, message.text),
    ),
    ...invocations
      .flatMap(({ toolExecutionNotifications = [] }) => toolExecutionNotifications)
      .map(({ level, message }) => annotation(level, { title: 'nccl-ts: incomplete' }, message.text)),
  ]);
}

/**
 * @param {Location | undefined} location
 * @param {(uri: string) => string} pathOf
 */
function placeOf(location, pathOf) {
  const place = location?.physicalLocation;
  if (place === undefined) return {};
  const { startLine, startColumn, endColumn } = place.region;
  return { file: pathOf(place.artifactLocation.uri), line: startLine, col: startColumn, endColumn };
}

/**
 * @param {string} level
 * @param {Record<string, string | number | undefined>} properties
 * @param {string} message
 */
function annotation(level, properties, message) {
  const said = Object.entries(properties).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`],
  );
  return `::${commands[level] ?? 'notice'} ${said.join(',')}::${escaped(message)}`;
}

/**
 * Escapes a text, because file names may contain anything and terminals show the log too.
 *
 * @param {string} text
 */
function escaped(text) {
  return (
    text
      .replaceAll('%', '%25')
      .replaceAll('\r', '%0D')
      .replaceAll('\n', '%0A')
      // oxlint-disable-next-line no-control-regex -- these are meant
      .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (code) => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`)
  );
}
