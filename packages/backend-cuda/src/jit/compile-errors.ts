import { sourceName } from './device-compiler.ts';

/** An error as nvcc and NVRTC print it. */
export interface CompileError {
  /**
   * Of the text, counted from 1; undefined where the error stands elsewhere, such as in a header,
   * or nowhere.
   */
  readonly line: number | undefined;
  readonly message: string;
}

const inFile = /^(.+)\((\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (.*)$/;
/** Of the assembler, of NVRTC itself, of the command. */
const elsewhere = /^(?:nvcc|nvrtc|ptxas|nvlink)\b.*?\b(?:error|fatal)\s*:\s*(.*)$/;

/** The errors in what a compiler printed. */
export function errorsOf(messages: string): readonly CompileError[] {
  return messages.split('\n').flatMap((text): readonly CompileError[] => {
    const found = inFile.exec(text.trim());
    if (found !== null) {
      const [, file, line, message = ''] = found;
      return [{ line: file === sourceName ? Number(line) : undefined, message }];
    }
    const general = elsewhere.exec(text.trim());
    return general === null ? [] : [{ line: undefined, message: general[1] ?? '' }];
  });
}
