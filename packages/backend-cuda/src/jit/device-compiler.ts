/** Which compiler: `auto` is NVRTC where it is there and takes the headers, else nvcc. */
export type CompilerChoice = 'auto' | DeviceCompilerName;

export type DeviceCompilerName = 'nvcc' | 'nvrtc';

export interface CompileJob {
  readonly text: string;
  readonly output: 'cubin' | 'ptx';
  /** Such as `sm_90`. */
  readonly arch: string;
  /** The directories of headers besides the toolkit's own: NCCL's. */
  readonly includes: readonly string[];
}

/** What came out of a compiler: the bytes, or what it said. */
export type Compiled =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer> }
  /** `text`: the text does not compile. `compiler`: this compiler compiles nothing here. */
  | { readonly ok: false; readonly because: 'text' | 'compiler'; readonly messages: string };

/** What turns CUDA C++ into code. */
export interface DeviceCompiler {
  readonly name: DeviceCompilerName;
  /** What stands for it in messages. */
  readonly title: string;
  /** Everything that decides what comes out, besides the text and the compiler itself. */
  flags(job: CompileJob): readonly string[];
  /** What tells one compiler from another without starting it. */
  identity(): Promise<string>;
  compile(job: CompileJob): Promise<Compiled>;
}

/** The text's name in messages of the compiler. */
export const sourceName = 'kernel.cu';

/** Floats are computed as IEEE 754 has them, so that results are those of the other backends. */
export const numericFlags: readonly string[] = ['-fmad=false', '-ftz=false', '-prec-div=true', '-prec-sqrt=true'];

/** The lines of a text that include NCCL's headers. */
export function ncclIncludes(text: string): string {
  return (text.match(/^[ \t]*#[ \t]*include[ \t]*[<"]nccl.*$/gm) ?? []).join('\n');
}
