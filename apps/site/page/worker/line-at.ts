import type { SourcePlace } from '@nccl-ts/findings';

/** The line of the program: of the outermost call, where code of a package stands in it. */
export function lineAt({ inlinedAt, location, line }: SourcePlace): number {
  return inlinedAt === undefined ? (location?.line ?? line) : lineAt(inlinedAt);
}
