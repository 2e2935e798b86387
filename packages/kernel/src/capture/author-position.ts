import { lineAt, type SourceLocation } from '@nccl-ts/ir';
import type { FunctionScript } from './function-script.ts';
import { memberOf, nodeFiles, type NodeFiles } from './node-builtins.ts';

/**
 * How to find offsets into a script in the author's own files: through the script's source map, else in the file that ran
 * where it has the same text at the same place. Files are read here, once.
 *
 * @throws whatever reading files, or a source map that is none, throws.
 */
export function authorPosition(script: FunctionScript, length: number): (offset: number) => SourceLocation | undefined {
  const files = nodeFiles();
  if (files === undefined) return () => undefined;
  const mapped = sourceMapOf(script, files);
  const plain = plainFile(script, length, files);
  return (offset) => mapped?.(offset) ?? plain?.(offset);
}

type Lookup = (offset: number) => SourceLocation | undefined;

/** The file that ran, where it is what the author wrote: the same text, but for types that were blanked out. */
function plainFile(script: FunctionScript, length: number, files: NodeFiles): Lookup | undefined {
  // A position in a part of a file means nothing without a source map.
  if (script.firstLine !== 0 || script.firstColumn !== 0) return undefined;
  const path = filePath(script.url, files);
  const text = path === undefined ? undefined : readText(path, files);
  if (path === undefined || text === undefined || !differsInBlanksOnly(text, script, length)) return undefined;
  return (offset) => {
    const { line, column } = lineAt(text, script.start + offset);
    return { file: path, line, column };
  };
}

function differsInBlanksOnly(file: string, script: FunctionScript, length: number): boolean {
  const end = script.start + length;
  if (file.length < end) return false;
  for (let i = script.start; i < end; i++) {
    if (script.text[i] !== file[i] && script.text[i] !== ' ') return false;
  }
  // Type stripping keeps every line break.
  return lineAt(file, script.start).line === lineAt(script.text, script.start).line;
}

function sourceMapOf(script: FunctionScript, files: NodeFiles): Lookup | undefined {
  const { sourceMapUrl } = script;
  if (sourceMapUrl === '') return undefined;
  const inline = dataText(sourceMapUrl);
  const base = inline === undefined ? resolveUrl(sourceMapUrl, script.url) : script.url;
  const path = inline === undefined ? filePath(base, files) : undefined;
  const json = inline ?? (path === undefined ? undefined : readText(path, files));
  const payload: unknown = json === undefined ? undefined : JSON.parse(json);
  if (typeof payload !== 'object' || payload === null) return undefined;
  const map = new files.SourceMap(payload);
  const root = memberOf(payload, 'sourceRoot');
  const from =
    typeof root === 'string' && root !== '' ? resolveUrl(root.endsWith('/') ? root : `${root}/`, base) : base;
  return (offset) => {
    const { line, column } = lineAt(script.text, script.start + offset);
    const row = line - 1 + script.firstLine;
    const entry = map.findEntry(row, column - 1 + (line === 1 ? script.firstColumn : 0));
    const source = memberOf(entry, 'originalSource');
    const originalLine = memberOf(entry, 'originalLine');
    const originalColumn = memberOf(entry, 'originalColumn');
    // The entry before the position may be one of an earlier line: this line has none then.
    if (memberOf(entry, 'generatedLine') !== row || typeof source !== 'string') return undefined;
    if (typeof originalLine !== 'number' || typeof originalColumn !== 'number') return undefined;
    const url = resolveUrl(source, from);
    return { file: filePath(url, files) ?? url, line: originalLine + 1, column: originalColumn + 1 };
  };
}

/** The text in a `data:` URL; `undefined` for other URLs. */
function dataText(url: string): string | undefined {
  const match = /^data:[^,]*?(;base64)?,/.exec(url);
  if (match === null) return undefined;
  const data = url.slice(match[0].length);
  if (match[1] === undefined) return decodeURIComponent(data);
  return new TextDecoder().decode(Uint8Array.from(atob(data), (byte) => byte.codePointAt(0) ?? 0));
}

function resolveUrl(url: string, base: string): string {
  try {
    return new URL(url, base).href;
  } catch {
    // A script that was never in a file has no address to start from.
    return url;
  }
}

function filePath(url: string, files: NodeFiles): string | undefined {
  return url.startsWith('file:') ? files.fileURLToPath(url) : undefined;
}

function readText(path: string, files: NodeFiles): string | undefined {
  try {
    return files.readFileSync(path, 'utf8');
  } catch {
    // Bundles are often shipped without their maps, and texts can be named after files that never were.
    return undefined;
  }
}
