import { sourceName } from './device-compiler.ts';

/** An error as nvcc and NVRTC print it. */
export interface CompileError {
  /**
   * The line of the text, from 1; undefined if the error has no location, or is elsewhere, such as
   * in a header.
   */
  readonly line: number | undefined;
  readonly message: string;
}

const inFile = /^(.+)\((\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (.*)$/;
/** Errors of the assembler, of NVRTC itself, and of the command. */
const elsewhere = /^(?:nvcc|nvrtc|ptxas|nvlink)\b.*?\b(?:error|fatal)\s*:\s*(.*)$/;

/** The errors in a compiler's output. */
export function errorsOf(messages: string): readonly CompileError[] {
  return messages.split('\n').flatMap((text): readonly CompileError[] => {
    const found = inFile.exec(text.trim());
    if (found !== null) {
      const [, file, line, message = ''] = found;
      return [{ line: file === sourceName ? Number(line) : undefined, message }];
    }
    const [, message] = elsewhere.exec(text.trim()) ?? [];
    return message === undefined ? [] : [{ line: undefined, message }];
  });
}
