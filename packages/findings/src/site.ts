import type { Span } from '@nccl-ts/ir';

/** Places in the kernel that generated code refers to by number. */
export interface Site {
  readonly span: Span;
  /** What stands there: `load`, `store`, `atomic`, `wait`, `sync`, `div`, `assert`, ... */
  readonly what: string;
}
