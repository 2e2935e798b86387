import type { Finding } from '@nccl-ts/findings';
import type { KernelValues } from '../launch/kernel-values.ts';

/** The most bytes of an element, by which a count of elements becomes a size. */
const ELEMENT = 4;

/**
 * For an access past the end of a window that the command made: the option for its size. The
 * kernel's own program may have larger windows. `undefined` if there is no such finding.
 */
export function windowSizeText(
  findings: readonly Finding[],
  { bytes, arg }: Pick<KernelValues, 'arg'> & { readonly bytes: number },
): string | undefined {
  const ends = findings.flatMap(({ kind, fault }) => {
    const access = kind === 'out-of-bounds' ? fault?.access : undefined;
    // An offset that wrapped around fits no window.
    const isPast = access?.window?.bytes === bytes && access.offset >= bytes && access.offset < 2 ** 31;
    return isPast ? [access.offset + access.bytes] : [];
  });
  if (ends.length === 0) return undefined;
  const counts = [...arg.values()].map((value) => Number(value) * ELEMENT).filter((size) => size < 2 ** 31);
  const wanted = sizeText(2 ** Math.ceil(Math.log2(Math.max(...ends, ...counts))));
  return `this command made the windows, of ${sizeText(bytes)} each: if your program has larger ones, pass --bytes ${wanted}`;
}

/** A size as --bytes takes it. */
function sizeText(bytes: number): string {
  if (bytes % 2 ** 20 === 0) return `${bytes / 2 ** 20}M`;
  return bytes % 1024 === 0 ? `${bytes / 1024}K` : String(bytes);
}
