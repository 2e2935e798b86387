import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The parameters of a URL: the file with another text, and the file that has that text. */
const FILE = 'nccl-ts-file';
const TEXT = 'nccl-ts-text';

/**
 * The URL of a module in which one file has another text: that of the module itself, or of a module
 * that it imports by a relative path. Each URL is a module of its own, as are all modules that it
 * imports so.
 */
export function editedUrl(module: string, edited: { readonly file: string; readonly text: string }): string {
  const url = pathToFileURL(module);
  url.searchParams.set(FILE, edited.file);
  url.searchParams.set(TEXT, edited.text);
  return url.href;
}

/** The URL of a module that one with an edit imports by a relative path. */
export function withEdit(found: string, parentURL: string | undefined): string {
  if (parentURL?.includes(TEXT) !== true || !found.startsWith('file:')) return found;
  const [from, url] = [new URL(parentURL), new URL(found)];
  for (const name of [FILE, TEXT]) {
    const value = from.searchParams.get(name);
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}

/** The other text of a module; `undefined` if it has none. */
export function editedTextOf(url: string): string | undefined {
  if (!url.startsWith('file:') || !url.includes(TEXT)) return undefined;
  const { searchParams } = new URL(url);
  const text = searchParams.get(TEXT);
  return text !== null && searchParams.get(FILE) === fileURLToPath(url) ? readFileSync(text, 'utf8') : undefined;
}
