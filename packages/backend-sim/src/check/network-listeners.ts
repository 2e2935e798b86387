import type { GroupClocks } from '@nccl-ts/memory-model';
import type { LaunchScope } from './launch-scope.ts';
import type { Outstanding } from './outstanding.ts';
import type { WordStories } from './story/word-stories.ts';

/** Other listeners for requests. */
export interface NetworkListeners {
  readonly outstanding: Outstanding;
  /** Called for the word of a VA signal, with its heap address. */
  readonly onVASignal: (address: number) => void;
  readonly scope: LaunchScope;
  /** Returns the threads of a running agent. */
  readonly open: (agent: number) => GroupClocks | undefined;
  /** Returns the rank that owns a heap address. */
  readonly rankOf: (address: number) => number | undefined;
  readonly stories: WordStories;
}
