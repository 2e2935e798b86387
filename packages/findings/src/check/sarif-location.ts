import type { QuotedLocation } from '../quoted-location.ts';
import { locationJson } from './location-json.ts';
import type { SarifArtifact, SarifLocation } from './sarif-log.ts';

/** The name of the folder that file names are relative to. */
export const SOURCE_ROOT = 'SRCROOT';

/**
 * Converts a source location to SARIF. If the author's file is known and is below the folder
 * `root`, its name is relative. `root` is absolute, with `/` or `\` between its parts. A location
 * that is known only in captured text has the name of that text.
 */
export function sarifLocation(location: QuotedLocation, root: string | undefined, message?: string): SarifLocation {
  const said = message === undefined ? {} : { message: { text: message } };
  const { file, source, line, column, endColumn, text } = locationJson(location);
  const named = { logicalLocations: [{ name: source, kind: 'function' }] };
  if (file === undefined) return { ...said, ...named };
  return {
    ...said,
    physicalLocation: {
      artifactLocation: artifact(file, root),
      region: { startLine: line, startColumn: column, endColumn, snippet: { text } },
    },
    ...named,
  };
}

/** Names a file for SARIF. */
export function artifact(file: string, root: string | undefined): SarifArtifact {
  // A scheme of more than one letter marks a URL.
  if (/^[a-z][a-z\d+.-]+:/i.test(file) && root === undefined) return { uri: file };
  const path = pathOf(file);
  const base = root === undefined ? undefined : `${pathOf(root).replace(/\/+$/, '')}/`;
  if (base !== undefined && path.startsWith(base)) {
    return { uri: encoded(path.slice(base.length)), uriBaseId: SOURCE_ROOT };
  }
  return { uri: isAbsolute(path) ? fileUri(path) : /^[a-z][a-z\d+.-]+:/i.test(file) ? file : encoded(path) };
}

/** Converts an absolute path to a URL. */
export function fileUri(path: string): string {
  const slashed = pathOf(path);
  return `file://${slashed.startsWith('/') ? '' : '/'}${encoded(slashed)}`;
}

function pathOf(file: string): string {
  const path = file.startsWith('file://') ? decodeURIComponent(file.slice('file://'.length)) : file;
  // On Windows: C:\kernels\a.ts, and file:///C:/kernels/a.ts.
  return /^\/?[a-z]:[\\/]/i.test(path) ? path.replace(/^\//, '').replaceAll('\\', '/') : path;
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[a-z]:\//i.test(path);
}

function encoded(path: string): string {
  return path
    .split('/')
    .map((part, i) => (i === 0 && /^[a-z]:$/i.test(part) ? part : encodeURIComponent(part)))
    .join('/');
}
