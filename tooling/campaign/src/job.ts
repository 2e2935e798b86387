import type { JudgeOptions } from './judge.ts';
import type { Theme } from './generate.ts';
import type { Program } from './program.ts';

/** A job for a worker. */
export type Job =
  | { readonly kind: 'judge'; readonly seed: number; readonly theme?: Theme | 'bulk'; readonly effort: JudgeOptions }
  | {
      readonly kind: 'minimise';
      readonly program: Program;
      readonly rule: string;
      readonly detail: string;
      readonly effort: JudgeOptions;
      readonly milliseconds: number;
    };

/** A worker's message; `engine` precedes the result, each time that an engine begins. */
export type Answer =
  | { readonly kind: 'engine'; readonly name: string }
  | {
      readonly kind: 'judged';
      readonly refused: string | undefined;
      readonly disagreements: readonly { readonly rule: string; readonly detail: string }[];
      /** The number of violations of rules that are not promised. */
      readonly notes: number;
      /** True if the graph engine went through everything. */
      readonly complete: boolean;
      /** True if any engine found an error. */
      readonly wrong: boolean;
    }
  | { readonly kind: 'minimised'; readonly program: Program; readonly detail: string }
  | { readonly kind: 'failed'; readonly why: string };
