import type { HarnessArgument } from '../memory/harness-argument.ts';
import type { TranslatedEntry } from '../translated-entry.ts';
import type { MemcpyStep, MemsetStep } from '../step.ts';
import { placeOf, translatedFrom } from './step-kernel.ts';

/** The kernel that does the work of a copy or a memset. */
export interface DeviceCopy {
  readonly translated: TranslatedEntry;
  readonly args: readonly HarnessArgument[];
  readonly block: number;
}

/** Copies that were made before, by their text. */
export type MadeCopies = Map<string, TranslatedEntry>;

/**
 * Makes the kernel of a copy or a memset, whose accesses are at the line of the call. The widest
 * accesses that fit all addresses keep it small.
 */
export function deviceCopy(
  step: MemcpyStep | MemsetStep,
  made: MadeCopies,
  source: ((path: string) => string | undefined) | undefined,
): DeviceCopy {
  const { bytes, to } = step;
  const offsets = step.kind === 'memcpy' ? [bytes, to.offset, step.from.offset] : [bytes, to.offset];
  const width = widths.find((one) => offsets.every((offset) => offset % one === 0)) ?? 1;
  const count = bytes / width;
  const block = Math.min(count, MOST_THREADS);
  const text = textOf(step, width, count, block);
  const translated = made.get(text) ?? translatedFrom(text, step.kind, source);
  made.set(text, translated);
  return { translated, args: step.kind === 'memcpy' ? [to, step.from] : [to], block };
}

const widths = [4, 2, 1] as const;

/** More threads would do the same accesses in fewer turns. */
const MOST_THREADS = 128;

function textOf(step: MemcpyStep | MemsetStep, width: number, count: number, block: number): string {
  const { file, line, column } = placeOf(step.location);
  const bits = 8 * width;
  const moved =
    step.kind === 'memcpy'
      ? `  ld.param.u64 %rd2, [memcpy_param_1];
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u${bits} %${width === 4 ? 'r' : 'rs'}2, [%rd4];`
      : `  mov.u${width === 4 ? 32 : 16} %${width === 4 ? 'r' : 'rs'}2, ${repeated(step.value, width)};`;
  return `.version 8.5
.target sm_90
.address_size 64
${file === undefined ? '' : `.file 1 "${file}"\n`}.visible .entry ${step.kind}(
  .param .u64 ${step.kind}_param_0${step.kind === 'memcpy' ? ',\n  .param .u64 memcpy_param_1' : ''}
)
{
  .reg .pred %p<2>;
  .reg .b16 %rs<3>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<6>;
${file === undefined ? '' : `  .loc 1 ${line} ${column}\n`}  ld.param.u64 %rd1, [${step.kind}_param_0];
  mov.u32 %r1, %tid.x;
MORE:
  mul.wide.u32 %rd3, %r1, ${width};
${moved}
  add.s64 %rd5, %rd1, %rd3;
  st.global.u${bits} [%rd5], %${width === 4 ? 'r' : 'rs'}2;
  add.u32 %r1, %r1, ${block};
  setp.lt.u32 %p1, %r1, ${count};
  @%p1 bra MORE;
  ret;
}
`;
}

function repeated(byte: number, width: number): number {
  return byte * { 1: 1, 2: 0x0101, 4: 0x01010101 }[width === 4 ? 4 : width === 2 ? 2 : 1];
}
