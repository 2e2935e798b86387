import type { QuotedLocation } from '@nccl-ts/findings';

/** The line of the program. For inlined code of a package, it is the line of the outermost call. */
export function lineAt({ inlinedAt, location, line }: QuotedLocation): number {
  return inlinedAt === undefined ? (location?.line ?? line) : lineAt(inlinedAt);
}
