import type { Body } from './statement.ts';
import type { Source, Span } from './span.ts';
import type { Type, ValueType } from './type.ts';

/**
 * A kernel parameter as the launch passes it. Composite parameters arrive flattened, with dotted
 * names.
 */
export interface Param {
  readonly name: string;
  readonly type: Type;
}

/** A variable of a thread. `name` is the author's, for people; it need not be unique. */
export interface Local {
  readonly name: string;
  readonly type: Type;
  readonly span: Span;
}

/** A fixed-size array: `shared` once per CTA, `local` once per thread. */
export interface ArrayDeclaration {
  readonly name: string;
  readonly space: 'shared' | 'local';
  readonly element: ValueType;
  readonly length: number;
  readonly span: Span;
}

/** One kernel: everything it calls is inside it. */
export interface Module {
  readonly name: string;
  /**
   * The NCCL version (`ncclVersionCode`) whose device API the kernel was built for. Absent: the
   * version of the runtime. No pass reads it; the launch does.
   */
  readonly apiVersion?: number;
  readonly params: readonly Param[];
  readonly locals: readonly Local[];
  readonly arrays: readonly ArrayDeclaration[];
  readonly body: Body;
  readonly sources: readonly Source[];
}
