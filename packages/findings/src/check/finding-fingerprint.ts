import type { QuotedLocation } from '../quoted-location.ts';
import type { Finding } from './finding.ts';

/**
 * Identifies a finding even if the code around it changes. It depends on the kind, and on the
 * actions and texts of the finding's lines. It does not depend on line numbers, folders or the run.
 */
export function findingFingerprint({ kind, labels, deadlock, fault, message }: Finding): string {
  const parts = labels.map(({ agent, does, kernel, place: location }) =>
    [agent, does, kernel ?? '', textOf(location)].join('\n'),
  );
  const waiting = (deadlock?.waiting ?? []).map((group) => `${group.kernel}\n${textOf(group.place)}`);
  const failed = fault === undefined ? [] : [`${fault.kernel}\n${textOf(fault.place)}`];
  const all = [...new Set([...parts, ...waiting, ...failed])].toSorted();
  return hash([kind, ...(all.length === 0 ? [message] : all)].join('\n\n'));
}

/** A hash of the text of a line, independent of its position in the file. */
export function lineFingerprint(location: QuotedLocation): string {
  return hash(location.quote.text.trim());
}

function textOf(place: QuotedLocation | undefined): string {
  if (place === undefined) return '';
  const { location, source, quote, inlinedAt } = place;
  const name = location?.file.split(/[\\/]/).at(-1) ?? source;
  return `${name}\n${quote.text.trim()}\n${quote.text.slice(quote.start, quote.end)}\n${textOf(inlinedAt)}`;
}

/** 64-bit FNV-1a over UTF-16 code units. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i++)
    value = BigInt.asUintN(64, (value ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n);
  return value.toString(16).padStart(16, '0');
}
