import { z } from 'zod';

/** The texts of a call, as tools take them. */
export const programFields = {
  program: z
    .string()
    .optional()
    .describe(
      'A TypeScript or JavaScript module that exports kernels, and optionally async function host(comm), which runs on each rank. It may import nccl-ts.',
    ),
  ptx: z.string().optional().describe('The PTX of a CUDA kernel, instead of program.'),
  launch: z
    .string()
    .optional()
    .describe(
      "With ptx: a TypeScript module that describes the launch, export default harness({ kernel: 'kernel.ptx', ... }). Without it, check returns a first one to fill in.",
    ),
  kernel: z.string().optional().describe('The name of the kernel, if the module exports several or a host program.'),
} as const;

/** The texts of a call. */
export interface ProgramTexts {
  readonly program?: string | undefined;
  readonly ptx?: string | undefined;
  readonly launch?: string | undefined;
  readonly kernel?: string | undefined;
}

/** The files of a call, and the words that name the program on the command line. */
export interface ProgramFiles {
  readonly files: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

/**
 * Returns the files of a call.
 *
 * @throws RangeError if the texts are too long; TypeError if they are not one program.
 */
export function programFiles(texts: ProgramTexts, textBytes: number): ProgramFiles {
  const { program, ptx, launch, kernel } = texts;
  const bytes = Buffer.byteLength([program, ptx, launch].join(''), 'utf8');
  if (bytes > textBytes) throw new RangeError(`The texts have ${bytes} bytes; at most ${textBytes} are allowed.`);
  const named = kernel === undefined ? [] : ['--kernel', plain('kernel', kernel)];
  if (program !== undefined && ptx === undefined && launch === undefined) {
    return { files: { 'kernel.ts': program }, words: ['kernel.ts', ...named] };
  }
  if (program === undefined && ptx !== undefined && launch !== undefined) {
    const files = { 'kernel.ptx': ptx, 'launch.ts': launch };
    return { files, words: ['kernel.ptx', '--harness', 'launch.ts', ...named] };
  }
  if (program === undefined && ptx !== undefined)
    return { files: { 'kernel.ptx': ptx }, words: ['kernel.ptx', ...named] };
  throw new TypeError('Give either program, or ptx with launch.');
}

/** @throws TypeError if a value would be read as an option. */
export function plain(name: string, value: string): string {
  if (value.startsWith('-')) throw new TypeError(`${name} must not begin with -; given ${JSON.stringify(value)}.`);
  return value;
}
