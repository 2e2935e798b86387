import type { Diagnostic } from '../diagnostic.ts';

type DiagnosticCode = Diagnostic['code'];

/**
 * The codes of `validate`, by their names. They are API. 30xx: the kernel breaks a rule of the
 * language. 35xx: this backend cannot run it. 40xx: the compiler made invalid IR.
 */
export const validationCodes: {
  readonly divergentSessionExit: DiagnosticCode;
  readonly scalarUnsupported: DiagnosticCode;
  readonly divergentWait: DiagnosticCode;
  readonly subgroupUnsupported: DiagnosticCode;
  readonly sharedMemoryExceeded: DiagnosticCode;
  readonly printUnsupported: DiagnosticCode;
  readonly primitiveUnsupported: DiagnosticCode;
  readonly multimemUnsupported: DiagnosticCode;
  readonly addressUnsupported: DiagnosticCode;
  readonly clusterUnsupported: DiagnosticCode;
  readonly wrongResultType: DiagnosticCode;
  readonly wrongOperandType: DiagnosticCode;
  readonly unknownReference: DiagnosticCode;
  readonly wrongConstant: DiagnosticCode;
  readonly wrongTargetType: DiagnosticCode;
  readonly jumpOutsideLoop: DiagnosticCode;
  readonly leaveOutsideBlock: DiagnosticCode;
  readonly repeatedLabel: DiagnosticCode;
  readonly effectInWait: DiagnosticCode;
  readonly wrongDeclaration: DiagnosticCode;
  readonly wrongShape: DiagnosticCode;
  readonly waitResultRead: DiagnosticCode;
  readonly wrongOrder: DiagnosticCode;
} = Object.freeze({
  divergentSessionExit: 'K3002',
  scalarUnsupported: 'K3501',
  divergentWait: 'K3502',
  subgroupUnsupported: 'K3503',
  sharedMemoryExceeded: 'K3504',
  printUnsupported: 'K3505',
  primitiveUnsupported: 'K3506',
  multimemUnsupported: 'K3507',
  addressUnsupported: 'K3508',
  clusterUnsupported: 'K3509',
  wrongResultType: 'K4001',
  wrongOperandType: 'K4002',
  unknownReference: 'K4003',
  wrongConstant: 'K4004',
  wrongTargetType: 'K4005',
  jumpOutsideLoop: 'K4006',
  leaveOutsideBlock: 'K4007',
  repeatedLabel: 'K4008',
  effectInWait: 'K4009',
  wrongDeclaration: 'K4010',
  wrongShape: 'K4011',
  waitResultRead: 'K4012',
  wrongOrder: 'K4013',
});

/** The kinds of errors that `validate` reports. */
export type ValidationFinding = keyof typeof validationCodes;
