import { u32, u64 } from '../scalar-types.ts';
import type { WaitWordStep, WordCondition, WriteWordStep } from '../step.ts';
import type { DeviceCopy, MadeCopies } from './device-copy.ts';
import { placeOf, translatedFrom } from './step-kernel.ts';

/**
 * Makes the kernel of a write or a wait of a word: one thread, whose access is at the line of the
 * call. As CUDA's driver does by default, the write comes after everything before it on the
 * stream, for the whole system, and what follows the wait comes after what the word announces.
 */
export function wordAccess(
  step: WriteWordStep | WaitWordStep,
  made: MadeCopies,
  source: ((path: string) => string | undefined) | undefined,
): DeviceCopy {
  const text = textOf(step);
  const translated = made.get(text) ?? translatedFrom(text, nameOf(step), source);
  made.set(text, translated);
  const place = step.kind === 'writeWord' ? step.to : step.from;
  const value = BigInt.asUintN(8 * step.bytes, step.value);
  return { translated, args: [place, step.bytes === 8 ? u64(value) : u32(value)], block: 1 };
}

/** The kernel's name in findings, which is that of the driver's call. */
function nameOf({ kind, bytes }: WriteWordStep | WaitWordStep): string {
  return `cuStream${kind === 'writeWord' ? 'Write' : 'Wait'}Value${8 * bytes}`;
}

function textOf(step: WriteWordStep | WaitWordStep): string {
  const { file, line, column } = placeOf(step.location);
  const bits = 8 * step.bytes;
  const name = nameOf(step);
  const [value, found] = bits === 32 ? ['%r1', '%r2'] : ['%rd2', '%rd3'];
  const access =
    step.kind === 'writeWord'
      ? `  st.release.sys.global.u${bits} [%rd1], ${value};`
      : `AGAIN:
  ld.acquire.sys.global.u${bits} ${found}, [%rd1];
${unmetText(step.condition, bits)}
  @%p1 bra AGAIN;`;
  return `.version 8.5
.target sm_90
.address_size 64
${file === undefined ? '' : `.file 1 "${file}"\n`}.visible .entry ${name}(
  .param .u64 ${name}_param_0,
  .param .u${bits} ${name}_param_1
)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
${file === undefined ? '' : `  .loc 1 ${line} ${column}\n`}  ld.param.u64 %rd1, [${name}_param_0];
  ld.param.u${bits} ${value}, [${name}_param_1];
${access}
  ret;
}
`;
}

/** Sets `%p1` if the word that was found does not meet the condition. */
function unmetText(condition: WordCondition, bits: number): string {
  const [value, found, made] = bits === 32 ? ['%r1', '%r2', '%r3'] : ['%rd2', '%rd3', '%rd4'];
  switch (condition) {
    case 'geq':
      return `  sub.s${bits} ${made}, ${found}, ${value};\n  setp.lt.s${bits} %p1, ${made}, 0;`;
    case 'eq':
      return `  setp.ne.u${bits} %p1, ${found}, ${value};`;
    case 'and':
      return `  and.b${bits} ${made}, ${found}, ${value};\n  setp.eq.u${bits} %p1, ${made}, 0;`;
    case 'nor':
      return `  or.b${bits} ${made}, ${found}, ${value};\n  not.b${bits} ${made}, ${made};\n  setp.eq.u${bits} %p1, ${made}, 0;`;
  }
}
