import { lineAt, type SourceLocation } from '@nccl-ts/ir';
import { attempt } from './attempt.ts';
import { AuthorLines, columnBehind, textsInMap } from './author-text.ts';
import type { FunctionScript, Script } from './function-script.ts';
import { memberOf, nodeFiles, type NodeFiles } from './node-builtins.ts';

/**
 * Maps offsets into a script to positions in the author's own files. It uses the script's source
 * map. Without one it uses the file that ran, if that file has the same text at the same offset.
 * Each source map is read once.
 */
export function authorPosition(found: FunctionScript, length: number): (offset: number) => SourceLocation | undefined {
  const files = nodeFiles();
  if (files === undefined) return () => undefined;
  const { script, start } = found;
  // The source map may be broken or missing, because bundles are often shipped without it.
  if (!maps.has(script)) {
    maps.set(
      script,
      attempt(() => sourceMapOf(script, files)),
    );
  }
  const mapped = maps.get(script);
  let plain: { readonly lookup: Lookup | undefined } | undefined;
  return (offset) => {
    const location = mapped?.(start + offset);
    if (location !== undefined) return location;
    plain ??= { lookup: attempt(() => plainFile(found, length, files)) };
    return plain.lookup?.(start + offset);
  };
}

/** Finds the author's position of an offset into a script. */
type Lookup = (offset: number) => SourceLocation | undefined;

/** The source maps of scripts. A bundle has many kernels, and its map takes long to read. */
const maps = new WeakMap<Script, Lookup | undefined>();

/** The files of scripts. They are read once, so that a long one is split into lines once. */
const plainTexts = new WeakMap<Script, string>();

/**
 * The file that ran, if it is the author's own. Its text may differ only where types were blanked
 * out.
 */
function plainFile({ script, start }: FunctionScript, length: number, files: NodeFiles): Lookup | undefined {
  // A position in a part of a file means nothing without a source map.
  if (script.firstLine !== 0 || script.firstColumn !== 0) return undefined;
  const path = filePath(script.url, files);
  if (path === undefined) return undefined;
  const text = plainTexts.get(script) ?? sameString(files.readFileSync(path, 'utf8'), script.text);
  plainTexts.set(script, text);
  if (!differsInBlanksOnly(text, script, start, length)) return undefined;
  return (offset) => {
    const { line, column, text: whole } = lineAt(text, offset);
    return { file: path, line, column, text: whole.replace(/\r$/, '') };
  };
}

/**
 * `text`, as the string `known` if they are equal. Caches compare one string with itself at once,
 * and two equal ones by all their characters.
 */
function sameString(text: string, known: string): string {
  return text === known ? known : text;
}

function differsInBlanksOnly(file: string, script: Script, start: number, length: number): boolean {
  const end = start + length;
  if (file.length < end) return false;
  for (let i = start; i < end; i++) {
    const ran = script.text.charAt(i);
    // Blanks replace what was removed, so every remaining character keeps its position.
    if (ran !== file[i] && (ran === '\n' || ran.trim() !== '')) return false;
  }
  // Type stripping keeps every line break.
  return lineAt(file, start).line === lineAt(script.text, start).line;
}

function sourceMapOf(script: Script, files: NodeFiles): Lookup | undefined {
  const { sourceMapUrl } = script;
  if (sourceMapUrl === '') return undefined;
  const inline = dataText(sourceMapUrl);
  const base = inline === undefined ? resolveUrl(sourceMapUrl, script.url) : script.url;
  const path = inline === undefined ? filePath(base, files) : undefined;
  const json = inline ?? (path === undefined ? 'null' : files.readFileSync(path, 'utf8'));
  const payload: unknown = JSON.parse(json);
  if (typeof payload !== 'object' || payload === null) return undefined;
  const map = new files.SourceMap(payload);
  const root = memberOf(payload, 'sourceRoot');
  const from =
    typeof root === 'string' && root !== '' ? resolveUrl(root.endsWith('/') ? root : `${root}/`, base) : base;
  const brought = textsInMap(payload);
  const lines = new AuthorLines((source) => {
    // The source map contains the compiled text; the file may have changed since.
    const file = filePath(resolveUrl(source, from), files);
    return brought.get(source) ?? (file === undefined ? undefined : readText(file, files));
  });
  return (offset) => {
    const { line, column, text: ran } = lineAt(script.text, offset);
    const row = line - 1 + script.firstLine;
    const indent = line === 1 ? script.firstColumn : 0;
    const entry = map.findEntry(row, column - 1 + indent);
    const source = memberOf(entry, 'originalSource');
    const originalLine = memberOf(entry, 'originalLine');
    const originalColumn = memberOf(entry, 'originalColumn');
    const generatedColumn = memberOf(entry, 'generatedColumn');
    // If the entry before the position belongs to an earlier line, this line has none.
    if (memberOf(entry, 'generatedLine') !== row || typeof source !== 'string') return undefined;
    if (typeof originalLine !== 'number' || typeof originalColumn !== 'number') return undefined;
    const url = resolveUrl(source, from);
    const place = { file: filePath(url, files) ?? url, line: originalLine + 1 };
    const text = lines.at(source, originalLine);
    if (text === undefined || typeof generatedColumn !== 'number') return { ...place, column: originalColumn + 1 };
    const mapped = generatedColumn - indent;
    return { ...place, column: columnBehind(ran, mapped, column - 1, text, originalColumn) + 1, text };
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

/** A script that was never in a file has no base address, so its URL stays as it is. */
function resolveUrl(url: string, base: string): string {
  return attempt(() => new URL(url, base).href) ?? url;
}

function filePath(url: string, files: NodeFiles): string | undefined {
  return url.startsWith('file:') ? files.fileURLToPath(url) : undefined;
}

function readText(path: string, files: NodeFiles): string | undefined {
  return attempt(() => files.readFileSync(path, 'utf8'));
}
