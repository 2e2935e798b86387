import type { PtxLocation, PtxSpan } from './module.ts';

/** An error or warning about a PTX text, as data. `renderPtxDiagnostic` converts it to text. */
export interface PtxDiagnostic {
  /** A stable code, such as `P1001`. */
  readonly code: PtxDiagnosticCode;
  readonly severity: 'error' | 'warning';
  /** The message: a sentence without a full stop. */
  readonly message: string;
  /** The suggested fix. */
  readonly help?: string;
  /** The span in the PTX text. */
  readonly span: PtxSpan;
  /** The location in the author's file, if the text contains it. */
  readonly location?: PtxLocation;
}

export type PtxDiagnosticCode = keyof typeof ptxDiagnosticCodes;

/**
 * Each code with its meaning. P1xxx: the text. P2xxx: unsupported features. P3xxx: parameters and
 * arguments. P4xxx: control flow. P5xxx: warnings about missing information.
 */
export const ptxDiagnosticCodes = {
  P1001: 'the text is not PTX',
  P1002: 'a name is not declared',
  P1003: 'an instruction has operands or modifiers that it does not support',
  P1004: 'the PTX version or target is not supported',
  P1005: 'a name is declared twice',
  P2001: 'an instruction is not supported',
  P2002: 'a modifier of an instruction is not supported',
  P2003: 'a type is not supported by an instruction',
  P2004: 'a call of a function that cannot be inlined',
  P2005: 'a state space is not supported here',
  P2006: 'the clusters of an entry do not fit its launch',
  P2007: 'a directive of an entry is not known',
  P3002: 'a read goes past the end of a parameter',
  P3003: 'a value must be known when the kernel is translated',
  P4001: 'the control flow is not reducible',
  P4002: 'a branch goes to no label of the function',
  P4003: 'the control flow is too large or nested too deeply',
  P5001: 'a loop polls with weak loads',
  P5002: 'the text has no source lines',
} as const;
