export type {
  PtxAddressBase,
  PtxBody,
  PtxFunction,
  PtxInitial,
  PtxInstruction,
  PtxItem,
  PtxLabel,
  PtxLocation,
  PtxModule,
  PtxOperand,
  PtxSpan,
  PtxStateSpace,
  PtxType,
  PtxVariable,
} from './syntax/module.ts';
export { ptxDiagnosticCodes, type PtxDiagnostic, type PtxDiagnosticCode } from './diagnostic.ts';
export type { ImportedKernel, ImportedParam, ImportOptions } from './import-kernel.ts';
export { demangle } from './syntax/demangle.ts';
export { matchingEntries } from './syntax/matching-entries.ts';
export { parsePtx, importKernel, renderPtxDiagnostic, readerIsMissing } from './temporary.ts';
