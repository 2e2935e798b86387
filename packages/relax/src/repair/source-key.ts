import type { PtxInstruction, PtxModule } from '@nccl-ts/ptx';

/**
 * Equal for the copies that a compiler made of one instruction of the author: in calls that it
 * inlined, and in loops that it unrolled. Unique if the text names no author's lines.
 */
export function sourceKey({ files }: PtxModule, { words, location, span }: PtxInstruction): string {
  if (location === undefined || location.line === 0) return `@${span.start}`;
  return `${words.join('.')} ${files.get(location.file) ?? location.file}:${location.line}:${location.column}`;
}
