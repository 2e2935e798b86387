/**
 * The choice of a compiler. `auto` is NVRTC if it exists and accepts the headers, and otherwise
 * nvcc.
 */
export type CompilerChoice = 'auto' | DeviceCompilerName;

export type DeviceCompilerName = 'nvcc' | 'nvrtc';

export interface CompileJob {
  readonly text: string;
  readonly output: 'cubin' | 'ptx';
  /** An architecture such as `sm_90`. */
  readonly arch: string;
  /** The folders of headers in addition to the toolkit's own: those of NCCL. */
  readonly includes: readonly string[];
}

/** A compiler's result: the bytes, or its messages. */
export type Compiled =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer> }
  /** `text`: the text does not compile. `compiler`: this compiler cannot compile anything here. */
  | { readonly ok: false; readonly because: 'text' | 'compiler'; readonly messages: string };

/** A compiler from CUDA C++ to code. */
export interface DeviceCompiler {
  readonly name: DeviceCompilerName;
  /** Its name in messages. */
  readonly title: string;
  /** Returns everything that affects the result, besides the text and the compiler itself. */
  flags(job: CompileJob): readonly string[];
  /** Identifies the compiler without starting it. */
  identity(): Promise<string>;
  compile(job: CompileJob): Promise<Compiled>;
}

/** The name of the text in the compiler's messages. */
export const sourceName = 'kernel.cu';

/** Floats are computed by IEEE 754, so that results equal those of the other backends. */
export const numericFlags: readonly string[] = ['-fmad=false', '-ftz=false', '-prec-div=true', '-prec-sqrt=true'];

/** Returns the lines of a text that include NCCL's headers. */
export function ncclIncludes(text: string): string {
  return (text.match(/^[ \t]*#[ \t]*include[ \t]*[<"]nccl.*$/gm) ?? []).join('\n');
}
