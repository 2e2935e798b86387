import type { JudgeOptions } from './judge.ts';
import type { Kind } from './kinds.ts';
import type { AnyProgram } from './subject.ts';
import type { CampaignTheme } from './themes.ts';

/** A job for a worker. */
export type Job =
  | { readonly kind: 'judge'; readonly seed: number; readonly theme?: CampaignTheme; readonly effort: JudgeOptions }
  | {
      readonly kind: 'minimise';
      readonly program: AnyProgram;
      readonly rule: string;
      readonly detail: string;
      readonly effort: JudgeOptions;
      readonly milliseconds: number;
    };

/** A worker's message. It sends `engine` when an engine begins, and then the result. */
export type JobMessage =
  | { readonly kind: 'engine'; readonly name: string }
  | {
      readonly kind: 'judged';
      readonly refused: string | undefined;
      readonly disagreements: readonly { readonly rule: string; readonly detail: string }[];
      /** The number of violations of rules that no engine guarantees. */
      readonly notes: number;
      /** The kinds of the program. */
      readonly kinds: readonly Kind[];
      /** True if the graph engine explored everything. */
      readonly complete: boolean;
      /** True if any engine found an error. */
      readonly wrong: boolean;
    }
  | { readonly kind: 'minimised'; readonly program: AnyProgram; readonly detail: string }
  | { readonly kind: 'failed'; readonly why: string };
