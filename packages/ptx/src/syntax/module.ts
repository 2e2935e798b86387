/**
 * PTX text in the parser's form. Names are resolved to one flat scope for each function, and
 * instructions are not interpreted.
 *
 * @see PTX ISA, chapters 4 (syntax) and 5 (state spaces, types and variables)
 */
export interface PtxModule {
  /** The file's name, as passed to `parsePtx`. */
  readonly name: string;
  readonly text: string;
  /** `.version 9.0` is `[9, 0]`. */
  readonly version: readonly [major: number, minor: number];
  /** `sm_90a`. */
  readonly target: string;
  /** The paths of `.file`, by the number that `.loc` uses. */
  readonly files: ReadonlyMap<number, string>;
  /** The definitions and the declarations of external functions, in the order of the text. */
  readonly functions: readonly PtxFunction[];
  /** Variables outside of functions: `.global`, `.const`, `.shared`. */
  readonly variables: readonly PtxVariable[];
}

/** A range of the PTX text, in UTF-16 offsets. `end` is exclusive. */
export interface PtxSpan {
  readonly start: number;
  readonly end: number;
}

export type PtxStateSpace = 'reg' | 'param' | 'global' | 'const' | 'shared' | 'local';

/** A type as PTX writes it, without its dot. */
export type PtxType =
  | 'pred'
  | 'b8'
  | 'b16'
  | 'b32'
  | 'b64'
  | 'b128'
  | 'u8'
  | 'u16'
  | 'u32'
  | 'u64'
  | 's8'
  | 's16'
  | 's32'
  | 's64'
  | 'f16'
  | 'f16x2'
  | 'bf16'
  | 'bf16x2'
  | 'e4m3x2'
  | 'e5m2x2'
  | 'f32'
  | 'f64';

export interface PtxFunction {
  readonly kind: 'entry' | 'func';
  /** The name in the text, mangled. */
  readonly name: string;
  readonly params: readonly PtxVariable[];
  /** The results of a `.func`. Empty for entries. */
  readonly returns: readonly PtxVariable[];
  /**
   * `.maxntid`, `.reqntid`, `.minnctapersm`, `.maxnreg`, `.explicitcluster`, `.reqnctapercluster`,
   * with their numbers.
   */
  readonly directives: ReadonlyMap<string, readonly number[]>;
  /** Absent for a declaration, whose function is defined elsewhere. */
  readonly body?: PtxBody;
  readonly span: PtxSpan;
}

export interface PtxBody {
  /**
   * The registers by name, including `%`. Those of inner scopes have names that are unique in the
   * function (`%p1@2`).
   */
  readonly registers: ReadonlyMap<string, PtxType>;
  /**
   * Local depots, static and `extern .shared` arrays, and the `.param` space of calls, under unique
   * names.
   */
  readonly variables: readonly PtxVariable[];
  /** Labels and instructions in the order of the text. Labels of inner scopes have unique names. */
  readonly items: readonly PtxItem[];
  /** By label: the targets of a `.branchtargets` list (for `brx.idx`). */
  readonly branchTargets: ReadonlyMap<string, readonly string[]>;
}

/** A parameter, or a variable in memory. */
export interface PtxVariable {
  readonly name: string;
  readonly space: PtxStateSpace;
  /** The type of an element. */
  readonly type: PtxType;
  /** The number of elements of a vector (`.v4`), or 1 if it is not a vector. */
  readonly width: number;
  /**
   * The number of elements of an array. `undefined` for a plain scalar, and 0 for `extern .shared
   * x[]`, whose size the launch sets.
   */
  readonly length?: number;
  /** The total size in bytes. 0 for `extern .shared x[]`. */
  readonly bytes: number;
  /** The alignment in bytes. @default the natural alignment of the type */
  readonly align: number;
  readonly isExtern: boolean;
  /**
   * The initial bytes, zero-padded to `bytes`, and the offsets of addresses of other variables. If
   * absent, zeros.
   */
  readonly initial?: PtxInitial;
  readonly span: PtxSpan;
}

export interface PtxInitial {
  readonly bytes: Uint8Array;
  /**
   * The address of `symbol` plus `offset` is at byte `at` and has 8 bytes. It is a generic address
   * if `generic`.
   */
  readonly addresses: readonly {
    readonly at: number;
    readonly symbol: string;
    readonly offset: bigint;
    readonly generic: boolean;
  }[];
}

export type PtxItem = PtxLabel | PtxInstruction;

export interface PtxLabel {
  readonly kind: 'label';
  readonly name: string;
  readonly span: PtxSpan;
}

export interface PtxInstruction {
  readonly kind: 'instruction';
  /** `@%p1`, `@!%p1`. */
  readonly guard?: { readonly register: string; readonly isNegated: boolean };
  /**
   * The opcode and its modifiers, without dots, in the order of the text: `['ld', 'global', 'nc',
   * 'v4', 'f32']`.
   */
  readonly words: readonly [opcode: string, ...modifiers: string[]];
  readonly operands: readonly PtxOperand[];
  /** The location from the `.loc` that applies to it. Absent if the text has none. */
  readonly location?: PtxLocation;
  /** The message of a trap that stands for code which cannot be translated. */
  readonly trap?: string;
  /**
   * The function, called by its address, that the instruction is a part of. If it cannot be
   * translated, the kernel fails only when it is reached.
   */
  readonly onlyIfCalled?: string;
  /** The range from the guard to the semicolon. */
  readonly span: PtxSpan;
}

export type PtxOperand =
  /** `%r1`, `%tid.x` or `%laneid`. A negated predicate operand (`!%p1`) has `isNegated`. */
  | { readonly kind: 'register'; readonly name: string; readonly isNegated: boolean }
  /** The value of an integer literal, as written: `-1` is -1n, and `0xffffffff` is 4294967295n. */
  | { readonly kind: 'integer'; readonly value: bigint }
  /**
   * The bits of `0f3F800000` (4 bytes) or `0d3FF0000000000000` (8 bytes). Decimal floats have 8
   * bytes.
   */
  | { readonly kind: 'float'; readonly bits: bigint; readonly bytes: 4 | 8 }
  /** A label, variable, parameter or function, plus a constant: `x`, `x+16`. */
  | { readonly kind: 'symbol'; readonly name: string; readonly offset: bigint }
  /**
   * `[%rd1+16]`, `[x]` or `[64]`. `base` is absent for an absolute address. `more` has the other
   * operands in the brackets, such as coordinates of tensors and textures.
   */
  | {
      readonly kind: 'address';
      readonly base?: PtxAddressBase;
      readonly offset: bigint;
      readonly more?: readonly PtxOperand[];
    }
  /** `{%f1, %f2}`. */
  | { readonly kind: 'vector'; readonly elements: readonly PtxOperand[] }
  /** `%r1|%p1`. */
  | { readonly kind: 'pair'; readonly first: PtxOperand; readonly second: PtxOperand }
  /** `(%r1, %r2)` of a call. */
  | { readonly kind: 'list'; readonly elements: readonly PtxOperand[] }
  /** `_`. */
  | { readonly kind: 'sink' };

export type PtxAddressBase =
  | { readonly kind: 'register'; readonly name: string }
  | { readonly kind: 'symbol'; readonly name: string };

/** A line of an author's file, and the call at which it was inlined. */
export interface PtxLocation {
  /** Index into `PtxModule.files`. */
  readonly file: number;
  /** 1-based. */
  readonly line: number;
  /** 1-based, or 0 if the text has 0. */
  readonly column: number;
  readonly inlinedAt?: PtxLocation;
  /** The mangled name of the function that was inlined here, if the text has it. */
  readonly inlinedFunction?: string;
}
