import type { QuotedLocation } from './quoted-location.ts';

/** The language in which the author wrote a line: TypeScript's kernel language, or another. */
export type SourceLanguage = 'kernel' | 'cuda' | 'triton' | 'ptx';

/** The language of a line, by the name of its file. */
export function languageOf(location: QuotedLocation | undefined): SourceLanguage | undefined {
  if (location === undefined) return undefined;
  const file = location.location?.file ?? location.source;
  if (/\.(cu|cuh|h|hpp|hh|cc|cpp|inl)$/.test(file)) return 'cuda';
  if (file.endsWith('.py')) return 'triton';
  return file.endsWith('.ptx') ? 'ptx' : 'kernel';
}
